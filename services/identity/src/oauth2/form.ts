import { textOf } from '@tributary/runtime/http/body.ts';
import { OAuthError } from './oauth-error.ts';

const MAX_LENGTH = 32_768;
const MAX_PARAMETERS = 50;

/** The parameters of a form; empty ones count as absent (RFC 6749, 3.2). */
export type Form = ReadonlyMap<string, string>;

/** Reads `application/x-www-form-urlencoded`. @throws OAuthError invalid_request for a repeated parameter */
export function readForm(bytes: Uint8Array): Form {
  if (bytes.length > MAX_LENGTH) throw new OAuthError('invalid_request', 'The form is too large.');
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(textOf(bytes))) {
    if (form.has(name)) throw new OAuthError('invalid_request', 'A parameter is given twice.');
    if (form.size === MAX_PARAMETERS)
      throw new OAuthError('invalid_request', 'There are too many parameters.');
    if (value.includes('\u0000'))
      throw new OAuthError('invalid_request', 'A parameter holds a NUL character.');
    if (value !== '') form.set(name, value);
  }
  return form;
}

/** A parameter that must be there. */
export function required(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OAuthError('invalid_request', `The parameter ${name} is missing.`);
  return value;
}
