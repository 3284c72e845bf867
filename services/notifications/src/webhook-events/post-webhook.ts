import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { StringDecoder } from 'node:string_decoder';
import { guardedLookup, type Outbound, refuseForbiddenLiteral } from '../outbound/outbound.ts';
import type { Outcome } from './webhook-event.ts';

const TIMEOUT_MS = 10_000;
/** What is kept of an answer, in characters. */
const MAX_RESPONSE = 2_048;
/** An idle connection is closed after `timeout`, so that no address outlives its name's for long. */
const SOCKETS = { keepAlive: true, timeout: 15_000, maxFreeSockets: 4, maxCachedSessions: 500 };
/** Agents of our own: those of the process may have been told to use a proxy, behind which no address is judged. */
const httpAgent = new HttpAgent(SOCKETS);
const httpsAgent = new HttpsAgent(SOCKETS);

export interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** The attempt was cut short from our side. */
export class Interrupted extends Error {}

/**
 * Posts a webhook and returns how it was answered, whatever went wrong on the way; redirects are an answer like any
 * other. All in all it takes at most `timeoutMs`.
 * @throws Interrupted when `stopping` was aborted before an answer came
 */
export async function postWebhook(
  post: Post,
  outbound: Outbound,
  stopping: AbortSignal,
  timeoutMs: number = TIMEOUT_MS,
): Promise<Outcome> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([timeout, stopping]);
  try {
    const response = await answerTo(post, outbound, signal);
    return { http_code: response.statusCode ?? null, response: await beginningOf(response) };
  } catch (error) {
    if (stopping.aborted) throw new Interrupted();
    const reason = timeout.aborted ? `No answer within ${timeoutMs / 1000} s` : reasonOf(error);
    return { http_code: null, response: reason.slice(0, MAX_RESPONSE) };
  }
}

/** A kept connection that the other side had just closed says nothing about the endpoint: it is tried once more. */
async function answerTo(post: Post, outbound: Outbound, signal: AbortSignal): Promise<IncomingMessage> {
  try {
    return await send(post, outbound, signal);
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    return send(post, outbound, signal);
  }
}

class StaleConnection extends Error {}

function send(
  { url, headers, body }: Post,
  outbound: Outbound,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const target = new URL(url);
  const isSecure = target.protocol === 'https:';
  const bytes = Buffer.from(body);
  return new Promise((resolve, reject) => {
    refuseForbiddenLiteral(outbound, target);
    const request = (isSecure ? httpsRequest : httpRequest)(target, {
      method: 'POST',
      agent: isSecure ? httpsAgent : httpAgent,
      lookup: guardedLookup(outbound),
      signal,
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': bytes.length,
        'user-agent': 'Tributary-Webhooks/1.0',
      },
    });
    request.once('response', resolve);
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && error.code === 'ECONNRESET' && !signal.aborted;
      reject(isStale ? new StaleConnection() : error);
    });
    request.once('close', () => reject(new Error('The connection was closed without an answer')));
    request.end(bytes);
  });
}

/** The answer's first characters; an answer that breaks off, or does not end, is taken as far as it came. */
async function beginningOf(response: IncomingMessage): Promise<string> {
  const decoder = new StringDecoder('utf8');
  let text = '';
  try {
    for await (const chunk of response) {
      text += decoder.write(chunk as Buffer);
      if (text.length >= MAX_RESPONSE) break;
    }
  } catch {
    // The status line has come, and it is what counts.
  }
  response.destroy();
  return printable(text + decoder.end());
}

/** PostgreSQL stores no NUL, and half a surrogate pair is no text. */
const printable = (text: string): string =>
  text.replaceAll('\0', '\uFFFD').slice(0, MAX_RESPONSE).toWellFormed();

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message || error.name : String(error);
}
