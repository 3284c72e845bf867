/** What a JSON Schema lets through, without the way it is written: unions are merged, references followed. */
export interface Shape {
  /** JSON types with the formats that matter, such as `string:uuid4`. */
  types: Set<string>;
  /** Allowed values; undefined when any value of the types goes. */
  values: Set<string> | undefined;
  properties: Map<string, { shape: Shape; isRequired: boolean }>;
  /** Elements of an array. */
  items?: Shape;
  /** Values of a map. */
  entries?: Shape;
}

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema is whatever the document holds
type Schema = any;

const FORMATS = new Set(['uuid4', 'date-time', 'date']);

/** The shape of a schema of an OpenAPI 3.1 document. */
export function shapeOf(schema: Schema, document: Schema, path: readonly string[] = []): Shape {
  if (schema?.$ref) {
    if (path.includes(schema.$ref))
      return { types: new Set(['recursive']), values: undefined, properties: new Map() };
    return shapeOf(resolve(schema.$ref, document), document, [...path, schema.$ref]);
  }
  const alternatives = schema?.anyOf ?? schema?.oneOf;
  if (alternatives) return alternatives.map((one: Schema) => shapeOf(one, document, path)).reduce(either);
  if (schema?.allOf) return schema.allOf.map((one: Schema) => shapeOf(one, document, path)).reduce(both);
  return plainShape(schema ?? {}, document, path);
}

function resolve(reference: string, document: Schema): Schema {
  return reference
    .slice(2)
    .split('/')
    .reduce((node, key) => node[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
}

function plainShape(schema: Schema, document: Schema, path: readonly string[]): Shape {
  const values = schema.enum ?? ('const' in schema ? [schema.const] : undefined);
  const shape: Shape = {
    types: typesOf(schema),
    values: values && new Set(values.map(String)),
    properties: new Map(),
  };
  const required = new Set<string>(schema.required ?? []);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    shape.properties.set(name, { shape: shapeOf(property, document, path), isRequired: required.has(name) });
  }
  if (schema.items) shape.items = shapeOf(schema.items, document, path);
  if (schema.prefixItems)
    shape.items = schema.prefixItems.map((one: Schema) => shapeOf(one, document, path)).reduce(either);
  if (typeof schema.additionalProperties === 'object')
    shape.entries = shapeOf(schema.additionalProperties, document, path);
  return shape;
}

function typesOf(schema: Schema): Set<string> {
  const named: string[] = schema.type
    ? [schema.type].flat()
    : schema.properties
      ? ['object']
      : 'const' in schema
        ? [typeOfValue(schema.const)]
        : ['any'];
  return new Set(
    named.map((type) => (type === 'string' && FORMATS.has(schema.format) ? `string:${schema.format}` : type)),
  );
}

const typeOfValue = (value: unknown) =>
  value === null ? 'null' : Number.isInteger(value) ? 'integer' : typeof value;

/** A value of one shape or the other. */
function either(a: Shape, b: Shape): Shape {
  return merge(a, b, (inA, inB) => inA && inB);
}

/** A value of both shapes. */
function both(a: Shape, b: Shape): Shape {
  return merge(a, b, (inA, inB) => inA || inB);
}

function merge(a: Shape, b: Shape, isRequired: (inA: boolean, inB: boolean) => boolean): Shape {
  const isOnlyNull = (shape: Shape) => shape.types.size === 1 && shape.types.has('null');
  const values = isOnlyNull(a)
    ? b.values
    : isOnlyNull(b)
      ? a.values
      : a.values && b.values && a.values.union(b.values);
  const merged: Shape = { types: a.types.union(b.types), values, properties: new Map() };
  const hasFields = (shape: Shape) => shape.types.has('object') || shape.types.has('any');
  for (const name of new Set([...a.properties.keys(), ...b.properties.keys()])) {
    const [one, other] = [a.properties.get(name), b.properties.get(name)];
    const shape = one && other ? either(one.shape, other.shape) : (one ?? other)!.shape;
    const required = isRequired(one?.isRequired ?? !hasFields(a), other?.isRequired ?? !hasFields(b));
    merged.properties.set(name, { shape, isRequired: required });
  }
  const items = a.items && b.items ? either(a.items, b.items) : (a.items ?? b.items);
  const entries = a.entries && b.entries ? either(a.entries, b.entries) : (a.entries ?? b.entries);
  return { ...merged, ...(items ? { items } : {}), ...(entries ? { entries } : {}) };
}
