import type { WebhookEventType } from '@tributary/proto/events/webhook-events.ts';
import type { Recorded } from '@tributary/runtime/db/columns.ts';
import { retryDelayMs, webhookBackoff } from '../backoff.ts';
import type { WebhookFormat } from '../webhook-endpoints/webhook-endpoint.ts';

/** One event on its way to one endpoint. It is pending exactly while `due_at` is set. */
export interface WebhookEvent extends Recorded {
  organization_id: string;
  endpoint_id: string;
  /** The message it came from; with the format, the key of its body. */
  message_id: string;
  format: WebhookFormat;
  type: WebhookEventType;
  /** Null until it came through or failed for good. */
  succeeded: boolean | null;
  /** Given up without being sent: its endpoint is off or gone. */
  skipped: boolean;
  last_http_code: number | null;
  /** Failed attempts since it was last queued. */
  failures: number;
  /** When it is tried next; while an attempt is under way, when that attempt counts as lost. */
  due_at: Date | null;
  /** The attempt under way. */
  claim_id: string | null;
}

/** How an attempt ended. */
export interface Outcome {
  /** Null when no answer came. */
  http_code: number | null;
  /** The answer's beginning, or what went wrong. */
  response: string | null;
}

/** An attempt whose process died is made again after this time; well above what an attempt may take. */
export const LEASE_MS = 60_000;
/** Attempts at once to one endpoint. */
export const MAX_AT_ONCE = 4;
/** Earlier events hold back a later one only this long. */
export const ORDER_WINDOW_MS = 60_000;
const WAIT_PER_EVENT_MS = 300;

/**
 * How long a due event lets others go first; zero when it is its turn. An event waits for every earlier one of its
 * endpoint from the last minute that is still pending, and for a free place at the endpoint.
 * @param ahead earlier pending events of the last minute
 * @param busy attempts under way, or about to start, at the endpoint
 */
export function waitMs(ahead: number, busy: number): number {
  if (ahead > 0) return Math.min(ahead * WAIT_PER_EVENT_MS, ORDER_WINDOW_MS);
  return busy < MAX_AT_ONCE ? 0 : WAIT_PER_EVENT_MS;
}

export const isSuccess = ({ http_code }: Outcome): boolean =>
  http_code !== null && http_code >= 200 && http_code < 300;

/**
 * The event after an attempt: done, tried again later, or failed for good.
 * @param isListening whether its endpoint is still there and on; otherwise a failure is not tried again
 * @param random from 0 to 1
 */
export function afterAttempt(
  event: WebhookEvent,
  outcome: Outcome,
  isListening: boolean,
  now: Date,
  random: number,
): WebhookEvent {
  const tried = { ...event, modified_at: now, last_http_code: outcome.http_code, claim_id: null };
  if (isSuccess(outcome)) return { ...tried, succeeded: true, skipped: false, due_at: null };
  const failures = event.failures + 1;
  const delayMs = retryDelayMs(webhookBackoff, failures, random);
  if (delayMs === null) return { ...tried, failures, succeeded: false, due_at: null };
  if (!isListening) return { ...tried, failures, skipped: true, due_at: null };
  return { ...tried, failures, due_at: new Date(now.getTime() + delayMs) };
}

/** The event queued anew, with all attempts before it; one that is pending already just becomes due. */
export const redelivered = (event: WebhookEvent, now: Date): WebhookEvent => ({
  ...event,
  modified_at: now,
  succeeded: null,
  skipped: false,
  failures: event.due_at === null ? 0 : event.failures,
  due_at: event.claim_id === null ? now : event.due_at,
});
