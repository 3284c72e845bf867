import { toHtml, toText } from './letter.ts';
import type { Mail } from './mailer.ts';
import { EmailData, templates } from './templates.ts';

/** The mail cannot be made from what it was ordered with; trying again would not help. */
export class Unrenderable extends Error {}

const PLATFORM = 'Tributary';
/** Line ends and other control characters have no place in a subject. */
const singleLine = (text: string) => text.replaceAll(/\p{Cc}+/gu, ' ').trim();

/** @throws Unrenderable for an unknown template, or data that does not fit it */
export function renderEmail(template: string, data: unknown): Pick<Mail, 'subject' | 'text' | 'html'> {
  if (!Object.hasOwn(templates, template)) throw new Unrenderable(`there is no template "${template}"`);
  const parsed = EmailData.safeParse(data);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    throw new Unrenderable(`${path.join('.')}: ${message}`);
  }
  const written = templates[template]!(parsed.data);
  const letter = {
    ...written,
    subject: singleLine(written.subject),
    from: parsed.data.organization_name || PLATFORM,
  };
  return { subject: letter.subject, text: toText(letter), html: toHtml(letter) };
}
