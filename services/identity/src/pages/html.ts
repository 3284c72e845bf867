/** Markup in which every inserted value was escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Insertable = string | Html | readonly Html[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character]!);

/** Template tag: text is escaped, markup is inserted as it is. */
export function html(parts: TemplateStringsArray, ...values: readonly Insertable[]): Html {
  const inserted = values.map((value) =>
    typeof value === 'string'
      ? escaped(value)
      : [value]
          .flat()
          .map((item) => item.text)
          .join(''),
  );
  return new Html(parts.map((part, index) => part + (inserted[index] ?? '')).join(''));
}

export const nothing = new Html('');
