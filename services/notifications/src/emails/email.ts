import { hash } from 'node:crypto';
import { emailBackoff, retryDelayMs } from '../backoff.ts';

/**
 * One mail and what became of it: the log of outgoing mail. It is pending exactly while `due_at` is set, and forgotten
 * once the personal data in it was taken out.
 */
export interface Email {
  /** Id of the order to send it; part of its Message-ID. */
  id: string;
  created_at: Date;
  organization_id: string | null;
  /** Null once forgotten. */
  recipient: string | null;
  /** Finds a person's mails without their address. */
  recipient_hash: string;
  template: string;
  /** What the template fills in; null once the mail has come to its end. */
  data: Record<string, unknown> | null;
  status: 'pending' | 'sent' | 'failed' | 'forgotten';
  failures: number;
  /** Why the last attempt failed. */
  error: string | null;
  due_at: Date | null;
  claim_id: string | null;
  sent_at: Date | null;
}

/** A mail whose process died while sending is sent again after this time; well above what sending may take. */
export const LEASE_MS = 5 * 60_000;
const MAX_ERROR = 500;

/** Addresses that differ in case alone are one person's. */
export const recipientHash = (address: string): string => hash('sha256', address.toLowerCase(), 'hex');

/** How handing a mail over ended. */
export type Handover = { sent: true } | { sent: false; error: string; isFinal: boolean };

/** The mail after an attempt: sent, tried again later, or failed for good. @param random from 0 to 1 */
export function afterHandover(email: Email, handover: Handover, now: Date, random: number): Email {
  const tried = { ...email, claim_id: null };
  if (handover.sent) {
    return { ...tried, status: 'sent', sent_at: now, data: null, error: null, due_at: null };
  }
  const failures = email.failures + 1;
  const delayMs = handover.isFinal ? null : retryDelayMs(emailBackoff, failures, random);
  const failed = { ...tried, failures, error: handover.error.slice(0, MAX_ERROR) };
  return delayMs === null
    ? { ...failed, status: 'failed', data: null, due_at: null }
    : { ...failed, due_at: new Date(now.getTime() + delayMs) };
}
