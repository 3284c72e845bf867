import { z } from 'zod';

export type JsonSchema = { [keyword: string]: unknown };

const COMPONENTS = '#/components/schemas/';
const DEFS = '#/$defs/';

/** The document's named schemas, filled while shapes are converted. */
export interface Components {
  /** The JSON Schema of what travels, with every shape that has an id put among the components. */
  convert(shape: z.ZodType, usedBy: string): JsonSchema;
  /** Adds a schema by name. */
  add(id: string, schema: JsonSchema, usedBy: string): JsonSchema;
  /** All named schemas, sorted by name. @throws Error naming every id that two different shapes claim */
  all(): Record<string, JsonSchema>;
}

/** Starts without any schema. Two different shapes under one id are an error: clients could not tell them apart. */
export function components(): Components {
  const named = new Map<string, { schema: JsonSchema; text: string; usedBy: string }>();
  const conflicts = new Map<string, string>();

  function add(id: string, schema: JsonSchema, usedBy: string): JsonSchema {
    const text = JSON.stringify(sorted(schema));
    const known = named.get(id);
    if (!known) named.set(id, { schema, text, usedBy });
    else if (known.text !== text && !conflicts.has(id)) {
      const place = difference(known.schema, schema);
      conflicts.set(id, `"${id}" of ${known.usedBy} and of ${usedBy} differ at ${place}`);
    }
    return { $ref: COMPONENTS + id };
  }

  return {
    add,
    convert(shape, usedBy) {
      // Handlers return a shape's input, and it is sent as it is: both directions travel as the input side.
      const {
        $schema: _,
        $defs = {},
        ...root
      } = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any', override });
      for (const [id, schema] of Object.entries($defs as Record<string, JsonSchema>))
        add(id, tidy(schema), usedBy);
      return tidy(root);
    },
    all() {
      if (conflicts.size > 0) throw new Error(`shapes share an id: ${[...conflicts.values()].join('; ')}`);
      const schemas = Object.fromEntries([...named].map(([id, { schema }]) => [id, schema]));
      const ids = Object.keys(schemas).sort();
      return Object.fromEntries(ids.map((id) => [id, withMapping(schemas[id]!, schemas)]));
    },
  };
}

/** Keeps which property tells the variants apart; zod leaves it out. */
function override({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: JsonSchema }): void {
  const definition = zodSchema._zod.def as { discriminator?: string };
  if (definition.discriminator) jsonSchema.discriminator = { propertyName: definition.discriminator };
}

const SCHEMA_LISTS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const SCHEMA_MAPS = new Set(['properties', 'patternProperties']);
const SCHEMAS = new Set(['items', 'additionalProperties', 'propertyNames', 'not', 'contains']);
/** Formats that say it all; zod adds a pattern of a hundred characters to each. */
const PATTERNED_FORMATS = new Set(['uuid', 'uuid4', 'date-time', 'date', 'email', 'duration']);
/** Keys of `meta` that are read here and are not JSON Schema. */
const OWN_KEYS = new Set(['query', 'content_type', 'id']);

/** The schema in the contract's style: `anyOf` with null, references to components, no bounds of JavaScript numbers. */
function tidy(schema: JsonSchema): JsonSchema {
  if (typeof schema.component === 'string') return { $ref: COMPONENTS + schema.component };
  if (schema.query === 'boolean') {
    return { type: 'boolean', ...('default' in schema ? { default: schema.default } : {}) };
  }
  const result: JsonSchema = {};
  for (const [key, value] of Object.entries(schema)) {
    if (OWN_KEYS.has(key) || isNoise(schema, key)) continue;
    result[key] = tidyKeyword(key, value);
  }
  if (!Array.isArray(schema.type)) return result;
  const { type, ...rest } = result;
  return {
    anyOf: (type as string[]).map((one) => (one === 'null' ? { type: one } : { type: one, ...rest })),
  };
}

function tidyKeyword(key: string, value: unknown): unknown {
  if (key === '$ref') return String(value).replace(DEFS, COMPONENTS);
  if (SCHEMA_LISTS.has(key)) return (value as JsonSchema[]).map(tidy);
  if (SCHEMA_MAPS.has(key)) {
    return Object.fromEntries(
      Object.entries(value as Record<string, JsonSchema>).map(([name, one]) => [name, tidy(one)]),
    );
  }
  return SCHEMAS.has(key) && typeof value === 'object' ? tidy(value as JsonSchema) : value;
}

function isNoise(schema: JsonSchema, key: string): boolean {
  switch (key) {
    case 'minimum':
      return schema.minimum === Number.MIN_SAFE_INTEGER;
    case 'maximum':
      return schema.maximum === Number.MAX_SAFE_INTEGER;
    case 'pattern':
      return PATTERNED_FORMATS.has(schema.format as string);
    case 'propertyNames':
      return JSON.stringify(schema.propertyNames) === '{"type":"string"}';
    default:
      return false;
  }
}

/** Completes the discriminator of a union whose variants are all components; otherwise it says nothing and goes. */
function withMapping(schema: JsonSchema, all: Record<string, JsonSchema>): JsonSchema {
  if (!schema.discriminator) return schema;
  const { discriminator, ...rest } = schema;
  const { propertyName } = discriminator as { propertyName: string };
  const mapping: Record<string, string> = {};
  for (const variant of schema.oneOf as JsonSchema[]) {
    if (typeof variant.$ref !== 'string') return rest;
    for (const value of valuesOf(variant, propertyName, all)) mapping[value] = variant.$ref;
  }
  return { ...rest, discriminator: { propertyName, mapping } };
}

function valuesOf(schema: JsonSchema, property: string, all: Record<string, JsonSchema>): string[] {
  if (typeof schema.$ref === 'string') {
    const target = all[schema.$ref.slice(COMPONENTS.length)];
    return target ? valuesOf(target, property, all) : [];
  }
  const variants = (schema.oneOf ?? schema.anyOf) as JsonSchema[] | undefined;
  if (variants) return variants.flatMap((variant) => valuesOf(variant, property, all));
  const told = (schema.properties as Record<string, JsonSchema> | undefined)?.[property];
  if (told?.$ref)
    return (all[String(told.$ref).slice(COMPONENTS.length)]?.enum as string[] | undefined) ?? [];
  return (told?.enum as string[] | undefined) ?? (typeof told?.const === 'string' ? [told.const] : []);
}

/** The first place where two unequal values differ. */
function difference(one: unknown, other: unknown, place = ''): string {
  const areObjects = [one, other].every((value) => value !== null && typeof value === 'object');
  if (!areObjects) return place || 'the top';
  const [left, right] = [one as JsonSchema, other as JsonSchema];
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  const key = keys.find(
    (name) => JSON.stringify(sorted(left[name])) !== JSON.stringify(sorted(right[name])),
  )!;
  return difference(left[key], right[key], place === '' ? key : `${place}.${key}`);
}

/** The same schema in one order, so that equal schemas have equal texts: keys, and the names that are required. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([key, item]) => [
      key,
      key === 'required' && Array.isArray(item) ? item.toSorted() : sorted(item),
    ]),
  );
}
