import { textOf } from '@tributary/runtime/http/body.ts';
import type { Reply } from '@tributary/runtime/http/reply.ts';
import { refusalPage } from './page.ts';

const MAX_LENGTH = 65_536;

/** A form as a page of ours sends it. */
export interface PageForm {
  /** The field's value, empty when absent. */
  get(name: string): string;
  all(name: string): string[];
}

/** Reads a form; a body that no page of ours would send is answered with a page that says so. */
export function readPageForm(bytes: Uint8Array): PageForm | Reply {
  const text = textOf(bytes);
  if (text.length > MAX_LENGTH || text.includes('\u0000') || text.includes('%00')) {
    return refusalPage(400, 'Bad request', 'This form cannot be read.');
  }
  const fields = new URLSearchParams(text);
  return { get: (name) => fields.get(name) ?? '', all: (name) => fields.getAll(name).slice(0, 1000) };
}

export const expiredForm = (): Reply =>
  refusalPage(403, 'Please try again', 'This form has expired. Go back, reload the page and send it again.');

/** Where to go after logging in: back to an application's request, never to another site. */
export function safeReturn(text: string): string | undefined {
  return text.startsWith('/v1/oauth2/authorize?') && text.length <= 32_768 && !/[\r\n\\]/.test(text)
    ? text
    : undefined;
}
