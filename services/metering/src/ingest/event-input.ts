import { ValidationProblem } from '@tributary/runtime/http/problem.ts';
import { owningOrganization } from '@tributary/runtime/principal.ts';
import { isMetadata, readMetadata } from './event-metadata.ts';
import { readTimestamp } from './event-timestamp.ts';
import {
  addIssue,
  isObject,
  isStorable,
  type Loc,
  nestsDeeper,
  type Reading,
  refuse,
  UNSTORABLE,
} from './reading.ts';

/**
 * An event that passed every check a request can be held to without the database. `id`, `parent`, and the customer of
 * one who was named by an external id, are filled in when it is stored: 60,000 copies would cost more than the checks.
 */
export interface IngestedEvent {
  id: string;
  source: 'user';
  organization_id: string;
  name: string;
  /** Milliseconds since the epoch. */
  timestamp: number;
  customer_id: string | null;
  member_id: string | null;
  external_customer_id: string | null;
  external_member_id: string | null;
  external_id: string | null;
  /** Id or external id of another event. */
  parent_id: string | null;
  /** Id of the event that `parent_id` means, once it is known. */
  parent: string | null;
  metadata: Record<string, unknown>;
}

const MAX_NAME = 128;
/** Ids of other systems are kept in indexes, whose entries are bounded. */
const MAX_EXTERNAL_ID = 512;
/** Within an event; the body's limit counts the three levels around it too. */
const MAX_DEPTH = 61;
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * Checks one event of a request (domain rules 8.1). Written by hand: a request may hold 60,000 of them, and a schema
 * library spends more on each than storing it costs. Issues go to `reading.issues`; the event is then of no use.
 */
export function readEvent(raw: unknown, index: number, reading: Reading): IngestedEvent | undefined {
  const loc: Loc = ['body', 'events', index];
  if (!isObject(raw)) return refuse(reading, loc, 'object_type', 'Input should be an object');
  const before = reading.issues.length;
  const name = text(raw, 'name', loc, reading, MAX_NAME);
  if (raw.name == null) refuse(reading, [...loc, 'name'], 'missing', 'Field required');
  const event: IngestedEvent = {
    id: '',
    source: 'user',
    organization_id: organization(raw.organization_id, loc, reading),
    name: name ?? '',
    timestamp: timestamp(raw.timestamp, loc, reading),
    customer_id: uuid(raw, 'customer_id', loc, reading),
    member_id: null,
    external_customer_id: text(raw, 'external_customer_id', loc, reading, MAX_EXTERNAL_ID),
    external_member_id: null,
    external_id: text(raw, 'external_id', loc, reading, MAX_EXTERNAL_ID),
    parent_id: text(raw, 'parent_id', loc, reading, MAX_EXTERNAL_ID),
    parent: null,
    metadata: metadata(raw.metadata, loc, reading),
  };
  if (hasDeepValue(raw)) refuse(reading, loc, 'json_invalid', 'JSON nested too deeply');
  if (reading.issues.length === before) whoseEvent(raw, event, loc, reading);
  return reading.issues.length === before ? event : undefined;
}

/** Fields that nobody reads may hold anything, but not without bottom. */
function hasDeepValue(raw: Record<string, unknown>): boolean {
  for (const key in raw) {
    if (key !== 'metadata' && typeof raw[key] === 'object' && nestsDeeper(raw[key], MAX_DEPTH)) return true;
  }
  return false;
}

/** A customer of ours, or a customer by the integrator's id: exactly one of them. */
function whoseEvent(raw: Record<string, unknown>, event: IngestedEvent, loc: Loc, reading: Reading): void {
  if (event.customer_id !== null && event.external_customer_id !== null) {
    const msg = 'Give either customer_id or external_customer_id, not both';
    refuse(reading, [...loc, 'external_customer_id'], 'extra_forbidden', msg);
  } else if (event.customer_id !== null) {
    event.member_id = uuid(raw, 'member_id', loc, reading);
  } else if (event.external_customer_id !== null) {
    event.external_member_id = text(raw, 'external_member_id', loc, reading, MAX_EXTERNAL_ID);
  } else {
    refuse(reading, [...loc, 'customer_id'], 'missing', 'Give customer_id or external_customer_id');
  }
}

function organization(sent: unknown, loc: Loc, reading: Reading): string {
  const { principal } = reading;
  if (sent == null && principal.kind === 'organization') return principal.organization_id;
  const at = [...loc, 'organization_id'];
  if (sent != null && typeof sent !== 'string') {
    refuse(reading, at, 'string_type', 'Input should be a string');
    return '';
  }
  try {
    return owningOrganization(principal, sent?.toLowerCase(), at);
  } catch (error) {
    if (!(error instanceof ValidationProblem)) throw error;
    for (const issue of error.issues) addIssue(reading, issue);
    return '';
  }
}

function timestamp(sent: unknown, loc: Loc, reading: Reading): number {
  if (sent === undefined) return reading.now;
  const read = readTimestamp(sent);
  if (typeof read !== 'number') {
    refuse(reading, [...loc, 'timestamp'], read.type, read.msg, sent);
    return 0;
  }
  if (read > reading.now) {
    refuse(reading, [...loc, 'timestamp'], 'datetime_past', 'Timestamp must be in the past', sent);
  }
  return read;
}

function metadata(sent: unknown, loc: Loc, reading: Reading): Record<string, unknown> {
  if (sent === undefined) return {};
  if (!isObject(sent)) {
    refuse(reading, [...loc, 'metadata'], 'object_type', 'Input should be an object');
    return {};
  }
  return isMetadata(sent) && !reading.isSuspicious ? sent : readMetadata(sent, [...loc, 'metadata'], reading);
}

/** A string of at most `most` characters; null when absent or wrong. */
function text(
  raw: Record<string, unknown>,
  field: string,
  loc: Loc,
  reading: Reading,
  most: number,
): string | null {
  const sent = raw[field];
  if (sent == null) return null;
  if (typeof sent !== 'string') {
    return refuse(reading, [...loc, field], 'string_type', 'Input should be a string') ?? null;
  }
  if (sent.length > most && (sent.length > 2 * most || [...sent].length > most)) {
    const msg = `String should have at most ${most} characters`;
    return refuse(reading, [...loc, field], 'string_too_long', msg) ?? null;
  }
  if (reading.isSuspicious && !isStorable(sent)) {
    return refuse(reading, [...loc, field], 'string_unicode', UNSTORABLE) ?? null;
  }
  return sent;
}

function uuid(raw: Record<string, unknown>, field: string, loc: Loc, reading: Reading): string | null {
  const sent = raw[field];
  if (sent == null) return null;
  if (typeof sent === 'string' && UUID_V4.test(sent)) return sent.toLowerCase();
  return refuse(reading, [...loc, field], 'uuid_parsing', 'Input should be a valid UUID version 4') ?? null;
}
