import { z } from 'zod';

/** Building blocks of request and response shapes; one definition each for the contract's recurring types. */

/** Public id, UUIDv4; capital letters mean the same as small ones. */
export const Id = z.uuidv4().toLowerCase().meta({ format: 'uuid4' });
/** Instant on the way out: ISO 8601, UTC. */
export const Timestamp = z.iso.datetime({ offset: true }).meta({ format: 'date-time' });
/** Whether an instant has a year of four digits, as every representation of it needs. */
const isWritable = (instant: Date) => instant.getUTCFullYear() >= 1 && instant.getUTCFullYear() <= 9999;
/** Instant on the way in: an offset is required; parsed to a Date. */
export const TimestampInput = z.iso
  .datetime({ offset: true, error: 'Input should have timezone info' })
  .meta({ format: 'date-time' })
  .transform((text) => new Date(text))
  .refine(isWritable, { error: 'Must lie within the years 1 to 9999, UTC.' });
/** Signed 32-bit integer, the bound of every integer in a request body (domain rules 0.1). */
export const Int32 = z.int32();
/** Amount in the currency's minor unit. */
export const Amount = z.int();
/** Three-letter lower-case currency code. */
export const Currency = z.string().regex(/^[a-z]{3}$/);

const MAX_METADATA_KEYS = 50;
const metadataValue = z.union([z.string().min(1).max(500), z.int(), z.number(), z.boolean()]);
/** `metadata` as integrators write it: at most 50 keys of 40 characters, flat (domain rules 0.3). */
export const MetadataInput = z.preprocess(
  (value, context) => {
    // Before the keys are looked at one by one.
    if (typeof value !== 'object' || Object.keys(value ?? {}).length <= MAX_METADATA_KEYS) return value;
    const message = `Dictionary should have at most ${MAX_METADATA_KEYS} items`;
    context.addIssue({ code: 'too_big', origin: 'array', maximum: MAX_METADATA_KEYS, message });
    return z.NEVER;
  },
  z.record(z.string().min(1).max(40), metadataValue),
);
/** `metadata` as it is read back. */
export const Metadata = z
  .record(z.string(), z.union([z.string(), z.int(), z.number(), z.boolean()]))
  .meta({ id: 'MetadataOutputType' });
export type Metadata = z.output<typeof Metadata>;

/** Identity and times every resource carries; spread it into the resource's shape. */
export const resourceShape = { id: Id, created_at: Timestamp, modified_at: Timestamp.nullable() };

/** A query filter: one value or several (OR), always read as a list. At most 100 values. */
export function many<T extends z.ZodType>(item: T) {
  return z
    .union([item, z.array(item).max(100)])
    .transform((value): z.output<T>[] => (Array.isArray(value) ? value : [value]) as z.output<T>[])
    .optional();
}

/** A boolean in a query string: `true` or `false`, `1` or `0`. */
export const QueryBoolean = z
  .enum(['true', 'false', '1', '0', 'True', 'False'])
  .transform((text) => text === 'true' || text === '1' || text === 'True')
  .meta({ query: 'boolean' });

const DECIMAL = /^\s*[+-]?\d+(\.\d+)?\s*$/;

/** A number in a query string, in decimal digits. @param number what it is checked by, with its default */
export const queryNumber = <T extends z.ZodType>(number: T) =>
  z.preprocess((text) => (typeof text === 'string' && DECIMAL.test(text) ? Number(text) : text), number);

const scalars = [{ type: 'string' }, { type: 'integer' }, { type: 'boolean' }];
/** Everything in a query string is text; integrators may write it as text, integers or booleans. */
const queriedValue = z
  .union([z.string(), z.array(z.string()).max(100)])
  .meta({ anyOf: [...scalars, ...scalars.map((items) => ({ type: 'array', items }))] });

const metadataPairs = z.array(z.object({ key: z.string().max(40), values: z.array(z.string()).max(100) }));
/** How the parameter is described; a schema of this form would lose a key called `__proto__`. */
const { $schema: _, ...metadataParameter } = z.toJSONSchema(z.record(z.string().max(40), queriedValue));

/** `metadata[key]=value`, repeated keys are alternatives (domain rules 13.2). */
export const MetadataQuery = z
  .unknown()
  .transform((value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([key, values]) => ({ key, values: [values].flat() }))
      : value,
  )
  .pipe(metadataPairs)
  .optional()
  .meta({ query: 'deepObject', ...metadataParameter });
export type MetadataFilter = NonNullable<z.output<typeof MetadataQuery>>;

/** Free-text search. */
export const SearchText = z.string().max(255).optional();

/**
 * A record that another service owns and describes, embedded in one of ours: in the OpenAPI document a reference to
 * the component of that name, which the owner's routes bring along.
 */
export const owned = <T extends object>(component: string) =>
  z.custom<T>((value) => typeof value === 'object' && value !== null).meta({ component });
