import { hashToken, isSameSecret } from '@tributary/runtime/token.ts';
import type { App } from '../../app.ts';
import type { Form } from '../form.ts';
import { OAuthError } from '../oauth-error.ts';
import type { Client } from './client.ts';
import { findClient } from './store.ts';

const MAX_LENGTH = 255;

interface Presented {
  client_id: string;
  client_secret: string | undefined;
}

/**
 * Which client calls (RFC 6749, 2.3): by id and secret in the form or in a Basic header, whichever of the two it
 * registered for; a public client by its id alone.
 * @throws OAuthError invalid_client
 */
export async function authenticateClient(
  app: App,
  authorization: string | undefined,
  form: Form,
): Promise<Client> {
  const { client_id, client_secret } = presented(authorization, form);
  if (client_id.length > MAX_LENGTH || (client_secret?.length ?? 0) > MAX_LENGTH) throw refusal();
  const client = await findClient(app.db.manager, client_id);
  if (!client) throw refusal();
  const expected = client.client_secret_hash;
  const isRight =
    expected === null
      ? client_secret === undefined
      : client_secret !== undefined && isSameSecret(hashToken(client_secret, app.tokenSecret), expected);
  if (!isRight) throw refusal();
  return client;
}

function presented(authorization: string | undefined, form: Form): Presented {
  const basic = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization ?? '')?.[1];
  if (basic === undefined) {
    const client_id = form.get('client_id');
    if (client_id === undefined) throw refusal();
    return { client_id, client_secret: form.get('client_secret') };
  }
  if (form.has('client_secret')) {
    throw new OAuthError('invalid_request', 'The client shows its secret in two ways.');
  }
  const [id, secret] = Buffer.from(basic, 'base64').toString('utf8').split(/:(.*)/s);
  const client_id = decode(id!);
  if (client_id === undefined || (form.get('client_id') ?? client_id) !== client_id) throw refusal();
  return { client_id, client_secret: decode(secret ?? '') || undefined };
}

/** Id and secret are form-encoded before they become a Basic header (RFC 6749, 2.3.1). */
function decode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    return decoded.includes('\u0000') ? undefined : decoded;
  } catch {
    return undefined;
  }
}

const refusal = () => new OAuthError('invalid_client', 'The client is unknown or its secret is wrong.');
