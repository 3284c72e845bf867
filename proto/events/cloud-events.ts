/** Attributes of a message that travel in its Kafka headers. */
export interface CloudEvent {
  /** Unique per message and the same on every delivery. */
  readonly id: string;
  /** Such as `order.paid`. */
  readonly type: string;
  /** Who wrote it, see {@link sourceOf}. */
  readonly source: string;
  readonly time: Date;
  /** Id of the record it is about. */
  readonly subject: string | null;
  /** W3C trace context of the request that caused it (https://www.w3.org/TR/trace-context/). */
  readonly traceparent: string | null;
}

const SPEC_VERSION = '1.0';

/** `ce_source` of a service: `/tributary/commerce`. */
export function sourceOf(service: string): string {
  return `/tributary/${service}`;
}

/**
 * Headers of a message in CloudEvents' binary mode
 * (https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/kafka-protocol-binding.md, section 3.2).
 * @throws RangeError when `time` is not an instant
 */
export function toHeaders(event: CloudEvent): Record<string, string> {
  return {
    ce_specversion: SPEC_VERSION,
    ce_id: event.id,
    ce_type: event.type,
    ce_source: event.source,
    ce_time: event.time.toISOString(),
    ...(event.subject === null ? {} : { ce_subject: event.subject }),
    ...(event.traceparent === null ? {} : { traceparent: event.traceparent }),
    'content-type': 'application/json',
  };
}

/**
 * Reads what {@link toHeaders} wrote; headers it does not know are left alone.
 * @throws TypeError when a header that every message carries is missing or malformed
 */
export function fromHeaders(headers: Readonly<Record<string, string | undefined>>): CloudEvent {
  const version = required(headers, 'ce_specversion');
  if (version !== SPEC_VERSION) throw new TypeError(`CloudEvents version ${version} is not supported`);
  const time = new Date(required(headers, 'ce_time'));
  if (Number.isNaN(time.getTime())) throw new TypeError(`header ce_time is no instant: ${headers.ce_time}`);
  return {
    id: required(headers, 'ce_id'),
    type: required(headers, 'ce_type'),
    source: required(headers, 'ce_source'),
    time,
    subject: headers.ce_subject ?? null,
    traceparent: headers.traceparent ?? null,
  };
}

function required(headers: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = headers[name];
  if (value === undefined || value === '') throw new TypeError(`header ${name} is missing`);
  return value;
}
