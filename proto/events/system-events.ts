import { z } from 'zod';
import { RecordId, Timestamp } from './fields.ts';
import { balanceEvents, balanceSubject } from './system/balance.ts';
import { benefitEvents, benefitSubject } from './system/benefit.ts';
import { checkoutEvents, checkoutSubject } from './system/checkout.ts';
import { customerEvents, customerSubject } from './system/customer.ts';
import { meterEvents, meterSubject } from './system/meter.ts';
import { orderEvents, orderSubject } from './system/order.ts';
import { subscriptionEvents, subscriptionSubject } from './system/subscription.ts';
import type { EventFamily } from './topics.ts';

/** Metadata shape of each system event, by name; keys a shape does not list are dropped, not refused. */
export const systemEventMetadata = {
  ...meterEvents,
  ...benefitEvents,
  ...subscriptionEvents,
  ...orderEvents,
  ...checkoutEvents,
  ...customerEvents,
  ...balanceEvents,
} as const;

export type SystemEventName = keyof typeof systemEventMetadata;
export type SystemEventMetadata<N extends SystemEventName> = z.output<(typeof systemEventMetadata)[N]>;

/** The 35 names, in the order of their families. */
export const systemEventNames = Object.keys(systemEventMetadata) as readonly SystemEventName[];

const envelopeShape = {
  id: RecordId.meta({ description: 'The event is read back under this id; also its `ce_id`' }),
  timestamp: Timestamp,
  organization_id: RecordId,
  customer_id: RecordId.nullable(),
  external_customer_id: z
    .string()
    .nullable()
    .meta({ description: "The customer's id in the integrator's system" }),
  member_id: RecordId.nullable().optional().meta({ description: 'Member of the customer who acted' }),
  external_member_id: z.string().nullable().optional(),
  source: z.literal('system'),
  label: z.string(),
};

type Envelope = z.output<z.ZodObject<typeof envelopeShape>>;

/** A system event as it lies on its topic; a union over the names unless one is given. */
export type SystemEvent<N extends SystemEventName = SystemEventName> = N extends SystemEventName
  ? Envelope & { name: N; metadata: SystemEventMetadata<N> }
  : never;

/** Shape of the whole event, by name. */
export const systemEventSchemas = Object.fromEntries(
  systemEventNames.map((name) => [
    name,
    z.object({ ...envelopeShape, name: z.literal(name), metadata: systemEventMetadata[name] }),
  ]),
) as unknown as { readonly [N in SystemEventName]: z.ZodType<SystemEvent<N>> };

const subjectKeys: Record<EventFamily, readonly string[]> = {
  meter: meterSubject,
  benefit: benefitSubject,
  subscription: subscriptionSubject,
  order: orderSubject,
  checkout: checkoutSubject,
  customer: customerSubject,
  balance: balanceSubject,
};

/** Whether `name` is one of the 35; ingested events may carry any text. */
export function isSystemEventName(name: string): name is SystemEventName {
  return Object.hasOwn(systemEventMetadata, name);
}

/** The family that owns the event, which is also the end of its topic's name: `order` for `order.paid`. */
export function familyOf(name: SystemEventName): EventFamily {
  return name.slice(0, name.indexOf('.')) as EventFamily;
}

/** What people read instead of the name: `Subscription Past Due` for `subscription.past_due` (domain rules 8.2). */
export function labelOf(name: SystemEventName): string {
  return name
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

/** Id of the record the event tells about, for `ce_subject`: the order of `order.paid`, the grant of `benefit.granted`. */
export function subjectOf<N extends SystemEventName>(name: N, metadata: SystemEventMetadata<N>): string {
  const values = metadata as Readonly<Record<string, unknown>>;
  const key = subjectKeys[familyOf(name)].find((candidate) => typeof values[candidate] === 'string');
  if (key === undefined) throw new TypeError(`${name} names no record in its metadata`);
  return values[key] as string;
}

/**
 * Reads a message of an event topic.
 * @throws TypeError when `value` is no system event of the contract
 */
export function readSystemEvent(value: unknown): SystemEvent {
  const name = (value as { name?: unknown } | null)?.name;
  if (typeof name !== 'string' || !isSystemEventName(name)) {
    throw new TypeError(`not a system event: ${String(name)}`);
  }
  const result = systemEventSchemas[name].safeParse(value);
  if (!result.success) throw new TypeError(`not a valid ${name} event: ${z.prettifyError(result.error)}`);
  return result.data;
}
