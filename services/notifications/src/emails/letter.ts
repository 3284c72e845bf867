/** What a mail says, before it is set as text and as HTML. */
export interface Letter {
  subject: string;
  /** Paragraphs. */
  lines: readonly string[];
  /** Names and values, one a line. */
  facts?: readonly (readonly [name: string, value: string])[];
  /** A code to be typed elsewhere. */
  code?: string;
  /** What to do next. @see safeLink */
  action?: { label: string; url: string };
  /** On whose behalf. */
  from: string;
}

/** The letter as plain text. */
export function toText({ lines, facts = [], code, action, from }: Letter): string {
  const parts = [
    ...lines,
    ...(code ? [code] : []),
    ...(facts.length > 0 ? [facts.map(([name, value]) => `${name}: ${value}`).join('\n')] : []),
    ...(action ? [`${action.label}: ${action.url}`] : []),
    `— ${from}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const PAGE = `margin:0;padding:24px;background:#f4f5f7;color:#1f2430;font-size:16px;line-height:1.5;${FONT}`;
const CARD = 'max-width:560px;margin:0 auto;padding:32px;background:#ffffff;border-radius:8px';
const CODE = 'font-size:28px;letter-spacing:6px;font-weight:600;text-align:center';
const BUTTON =
  'display:inline-block;padding:12px 20px;border-radius:6px;background:#1f2430;color:#ffffff;text-decoration:none';
const QUIET = 'color:#6b7280;font-size:14px';

/** The letter as HTML that needs nothing from elsewhere. Whatever a value holds, it is shown and never read as HTML. */
export function toHtml({ subject, lines, facts = [], code, action, from }: Letter): string {
  const rows = facts.map(
    ([name, value]) =>
      `<tr><td style="padding:4px 16px 4px 0;${QUIET}">${escaped(name)}</td><td>${escaped(value)}</td></tr>`,
  );
  const parts = [
    ...lines.map((line) => `<p>${escaped(line)}</p>`),
    ...(code ? [`<p style="${CODE}">${escaped(code)}</p>`] : []),
    ...(rows.length > 0 ? [`<table role="presentation">${rows.join('')}</table>`] : []),
    ...(action
      ? [`<p><a style="${BUTTON}" href="${escaped(action.url)}">${escaped(action.label)}</a></p>`]
      : []),
    `<p style="${QUIET}">${escaped(from)}</p>`,
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(subject)}</title></head>
<body style="${PAGE}"><div style="${CARD}">
${parts.join('\n')}
</div></body></html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
