import { InstantArray, JsonbArray, TextArray, UuidArray, unnestSql } from '../array-parameters.ts';
import type { IngestedEvent } from './event-input.ts';
import { inSlices, SLICE } from './turns.ts';

const TYPES = [
  'uuid',
  'uuid',
  'uuid',
  'uuid',
  'uuid',
  'timestamptz',
  'text',
  'text',
  'text',
  'text',
  'jsonb',
];

/** Part of a statement: the events, by the parameters that `eventColumns` makes, which come first of all. */
export const INCOMING = `
  incoming as materialized (
    select * from ${unnestSql(1, TYPES)} with ordinality as event(id, organization_id, customer_id, member_id, parent_id,
      timestamp, name, external_customer_id, external_member_id, external_id, metadata, number)
  )`;

/** Part of a statement: stores events of `incoming`. */
export const INSERT_INCOMING = `
  insert into events (id, organization_id, customer_id, member_id, parent_id, timestamp, source, name,
    external_customer_id, external_member_id, metadata)
  select id, organization_id, customer_id, member_id, parent_id, timestamp, 'user', name,
    external_customer_id, external_member_id, metadata
  from incoming`;

export async function eventColumns(events: readonly IngestedEvent[]): Promise<(Buffer | null)[]> {
  const columns = new EventColumns();
  await inSlices(events, SLICE, (slice) => {
    for (const event of slice) columns.add(event);
  });
  return columns.values;
}

class EventColumns {
  readonly #id = new UuidArray();
  readonly #organization = new UuidArray();
  readonly #customer = new UuidArray();
  readonly #member = new UuidArray();
  readonly #parent = new UuidArray();
  readonly #timestamp = new InstantArray();
  readonly #name = new TextArray();
  readonly #externalCustomer = new TextArray();
  readonly #externalMember = new TextArray();
  readonly #externalId = new TextArray();
  readonly #metadata = new JsonbArray();

  add(event: IngestedEvent): void {
    this.#id.add(event.id);
    this.#organization.add(event.organization_id);
    this.#customer.add(event.customer_id);
    this.#member.add(event.member_id);
    this.#parent.add(event.parent);
    this.#timestamp.add(event.timestamp);
    this.#name.add(event.name);
    this.#externalCustomer.add(event.external_customer_id);
    this.#externalMember.add(event.external_member_id);
    this.#externalId.add(event.external_id);
    this.#metadata.add(JSON.stringify(event.metadata));
  }

  get values(): (Buffer | null)[] {
    return [
      this.#id,
      this.#organization,
      this.#customer,
      this.#member,
      this.#parent,
      this.#timestamp,
      this.#name,
      this.#externalCustomer,
      this.#externalMember,
      this.#externalId,
      this.#metadata,
    ].map((column) => column.value);
  }
}
