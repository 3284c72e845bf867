import { z } from 'zod';
import { EmailCommand } from './emails.ts';
import { RecordId, Timestamp } from './fields.ts';
import { CustomerUpdatedFields } from './system/customer.ts';
import { systemEventMetadata, systemEventNames, systemEventSchemas } from './system-events.ts';
import { TokenRevocation } from './tokens.ts';
import { WebhookEventValue } from './webhook-events.ts';

/** JSON Schema (draft 7) or any other plain part of the document. */
export type Json = { [key: string]: unknown };

/** Headers that every message carries. */
const MessageHeaders = z.object({
  ce_specversion: z.literal('1.0'),
  ce_id: RecordId.meta({ description: 'The same on every delivery of the message' }),
  ce_type: z.string(),
  ce_source: z.string().meta({ description: 'Service that wrote it: `/tributary/<service>`' }),
  ce_time: Timestamp,
  ce_subject: z.string().optional().meta({ description: 'Id of the record it is about' }),
  traceparent: z.string().optional().meta({ description: 'W3C trace context of what caused it' }),
  'content-type': z.literal('application/json'),
});

const RecordState = z
  .looseObject({ id: RecordId })
  .meta({ description: "The record as the HTTP API's read operation of the resource answers it" });

const Tombstone = z.null().meta({ description: 'No value: the record is deleted' });

/** Reference to a shape of {@link componentSchemas}. */
export const schemaRef = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** Name of a system event's shape in the document: `OrderPaidEvent` for `order.paid`. */
export const eventSchemaName = (name: string): string =>
  `${name.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;

/** Every message shape of the Kafka contract as JSON Schema, by name. */
export function componentSchemas(): Record<string, Json> {
  const registry = z.registry<{ id: string }>();
  const named: [string, z.ZodType][] = [
    ...Object.values(systemEventMetadata).map((shape): [string, z.ZodType] => [
      shape.meta()?.id ?? '',
      shape,
    ]),
    ...systemEventNames.map((name): [string, z.ZodType] => [eventSchemaName(name), systemEventSchemas[name]]),
    ['CustomerUpdatedFields', CustomerUpdatedFields],
    ['MessageHeaders', MessageHeaders],
    ['RecordState', RecordState],
    ['Tombstone', Tombstone],
    ['WebhookEvent', WebhookEventValue],
    ['EmailCommand', EmailCommand],
    ['TokenRevocation', TokenRevocation],
  ];
  for (const [id, shape] of named) registry.add(shape, { id });
  const { schemas } = z.toJSONSchema(registry, {
    target: 'draft-07',
    // The reader's view: keys a later release adds must not make a message invalid.
    io: 'input',
    uri: (id) => String(schemaRef(id).$ref),
    override: ({ jsonSchema }) => tidy(jsonSchema as Json),
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $id: _id, $schema: _dialect, ...schema }]) => [id, schema as Json]),
  );
}

/** Drops what only repeats the type: the bounds of a double's integers, the pattern behind a named format. */
function tidy(schema: Json): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format !== undefined) delete schema.pattern;
}
