import { anonymous, merchant } from '@tributary/proto/access.ts';
import { z } from 'zod';
import { openApiDocument } from './openapi.ts';
import { listOf, pagingShape, sortedBy } from './paging.ts';
import { problemType, ResourceNotFound } from './problem.ts';
import { type Route, routeFor } from './route.ts';
import {
  Id,
  MetadataQuery,
  many,
  owned,
  QueryBoolean,
  resourceShape,
  Timestamp,
  TimestampInput,
} from './wire.ts';

const route = routeFor<never>();
const info = { title: 'Test', version: '2026-04' };
const handle = async () => undefined as never;

const Color = z.enum(['red', 'blue']).meta({ id: 'Color' });
const Circle = z.object({ kind: z.literal('circle'), radius: z.number() }).meta({ id: 'Circle' });
const Square = z.object({ kind: z.literal('square'), side: z.int().min(1) }).meta({ id: 'Square' });
const Shape = z.discriminatedUnion('kind', [Circle, Square]).meta({ id: 'Shape' });
const Thing = z
  .object({
    ...resourceShape,
    name: z.string().nullable(),
    color: Color,
    shape: Shape,
    seen_at: Timestamp.optional(),
  })
  .meta({ id: 'Thing' });

const list = route({
  method: 'GET',
  path: '/v1/things/',
  operation: 'things:list',
  summary: 'List things',
  access: merchant('orders:read'),
  query: z.object({
    organization_id: many(Id),
    color: many(Color),
    is_round: QueryBoolean.optional(),
    created_after: TimestampInput.optional(),
    ...pagingShape,
    sorting: sortedBy('ThingSortProperty', ['created_at'], ['-created_at']),
    metadata: MetadataQuery,
  }),
  response: listOf(Thing),
  handle,
});
const read = route({
  method: 'GET',
  path: '/v1/things/{id}',
  operation: 'things:get',
  summary: 'Read a thing',
  access: merchant('orders:read', 'orders:write'),
  params: z.object({ id: Id }),
  response: Thing,
  problems: [ResourceNotFound],
  handle,
});
const create = route({
  method: 'POST',
  path: '/v1/things/',
  operation: 'things:create',
  summary: 'Create a thing',
  access: anonymous,
  status: 201,
  body: z.object({ name: z.string().max(40), shape: Shape }).meta({ id: 'ThingCreate' }),
  response: Thing,
  problems: [problemType('TooRound', 422)],
  handle,
});

const documentOf = (...routes: Route<never>[]) => openApiDocument(routes, info);
type Parameter = { name: string; required: boolean; style?: string; schema: unknown };

test('a list has filters, paging, sorting and deepObject metadata in the shapes of the contract', () => {
  const operation = documentOf(list).paths['/v1/things/']!.get!;
  const parameters = Object.fromEntries((operation.parameters as Parameter[]).map((one) => [one.name, one]));
  const uuid = { type: 'string', format: 'uuid4' };
  const color = { $ref: '#/components/schemas/Color' };
  const nothing = { type: 'null' };
  expect(parameters.organization_id!.schema).toEqual({
    anyOf: [uuid, { type: 'array', items: uuid, maxItems: 100 }, nothing],
  });
  expect(parameters.color!.schema).toEqual({
    anyOf: [color, { type: 'array', items: color, maxItems: 100 }, nothing],
  });
  expect(parameters.is_round!.schema).toEqual({ anyOf: [{ type: 'boolean' }, nothing] });
  expect(parameters.created_after!.schema).toEqual({
    anyOf: [{ type: 'string', format: 'date-time' }, nothing],
  });
  expect(parameters.page!.schema).toMatchObject({ type: 'integer', exclusiveMinimum: 0, default: 1 });
  expect(parameters.limit!.schema).toEqual({ type: 'integer', exclusiveMinimum: 0, default: 10 });
  expect(parameters.sorting!.schema).toEqual({
    anyOf: [
      { type: 'array', items: { $ref: '#/components/schemas/ThingSortProperty' }, maxItems: 2 },
      nothing,
    ],
    default: ['-created_at'],
  });
  expect(parameters.metadata).toMatchObject({ style: 'deepObject', required: false });
  expect(Object.values(parameters).every((one) => one.required === false)).toBe(true);
});

test('security names each scheme with the scopes that grant access, and is absent where none is needed', () => {
  const document = documentOf(read, create);
  const scopes = ['orders:read', 'orders:write'];
  expect(document.paths['/v1/things/{id}']!.get!.security).toEqual([
    { oidc: scopes },
    { pat: scopes },
    { oat: scopes },
  ]);
  expect(document.paths['/v1/things/']!.post).not.toHaveProperty('security');
  expect(Object.keys(document.components.securitySchemes)).toHaveLength(5);
});

test('answers are listed by status, refusals with their bodies', () => {
  const document = documentOf(read, create);
  const responses = document.paths['/v1/things/{id}']!.get!.responses as Record<string, unknown>;
  expect(Object.keys(responses)).toEqual(['200', '404', '422']);
  expect(responses['422']).toMatchObject({
    content: { 'application/json': { schema: { $ref: '#/components/schemas/HTTPValidationError' } } },
  });
  expect(document.components.schemas.ResourceNotFound).toEqual({
    type: 'object',
    properties: { error: { type: 'string', const: 'ResourceNotFound' }, detail: { type: 'string' } },
    required: ['error', 'detail'],
  });
  expect(document.paths['/v1/things/']!.post!.responses).toMatchObject({
    201: {},
    422: {
      content: {
        'application/json': {
          schema: {
            anyOf: [
              { $ref: '#/components/schemas/TooRound' },
              { $ref: '#/components/schemas/HTTPValidationError' },
            ],
          },
        },
      },
    },
  });
});

test('named shapes become components: nullable by anyOf, variants with a discriminator and its mapping', () => {
  const { schemas } = documentOf(create).components;
  expect(schemas.Shape).toEqual({
    oneOf: [{ $ref: '#/components/schemas/Circle' }, { $ref: '#/components/schemas/Square' }],
    discriminator: {
      propertyName: 'kind',
      mapping: { circle: '#/components/schemas/Circle', square: '#/components/schemas/Square' },
    },
  });
  expect(schemas.Thing).toMatchObject({
    properties: {
      id: { type: 'string', format: 'uuid4' },
      name: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      created_at: { type: 'string', format: 'date-time' },
    },
    required: ['id', 'created_at', 'modified_at', 'name', 'color', 'shape'],
  });
  expect(Object.keys(schemas)).toEqual(Object.keys(schemas).toSorted());
});

test('a form is described as one', () => {
  const form = route({ ...create, operation: 'things:form', form: true, handle });
  const content = (documentOf(form).paths['/v1/things/']!.post!.requestBody as { content: object }).content;
  expect(Object.keys(content)).toEqual(['application/x-www-form-urlencoded']);
});

test('a property may be named like a keyword', () => {
  const body = z.object({
    type: z.string().nullable(),
    query: z.string(),
    pattern: z.uuidv4(),
    anyOf: z.boolean(),
  });
  const odd = route({ ...create, operation: 'things:odd', body, handle });
  const { requestBody } = documentOf(odd).paths['/v1/things/']!.post! as { requestBody: unknown };
  expect(requestBody).toMatchObject({
    content: {
      'application/json': {
        schema: {
          properties: {
            type: { anyOf: [{ type: 'string' }, { type: 'null' }] },
            query: { type: 'string' },
            pattern: { type: 'string', format: 'uuid' },
            anyOf: { type: 'boolean' },
          },
        },
      },
    },
  });
});

test('one id for two different shapes is refused, with both users and the difference named', () => {
  const other = route({
    ...read,
    operation: 'things:other',
    response: z.object({ a: z.string() }).meta({ id: 'Thing' }),
    handle,
  });
  expect(() => documentOf(list, other)).toThrow(
    /"Thing" of things:list and of things:other differ at properties\.id/,
  );
});

test('the order in which two services list the properties of one shape does not matter', () => {
  const shape = (id: object) => z.object(id as { a: z.ZodString }).meta({ id: 'Pair' });
  const one = route({ ...read, operation: 'one', response: shape({ a: z.string(), b: z.int() }), handle });
  const other = route({
    ...read,
    operation: 'other',
    response: shape({ b: z.int(), a: z.string() }),
    handle,
  });
  expect(documentOf(one, other).components.schemas.Pair).toMatchObject({ required: ['a', 'b'] });
});

test('one operation id for two routes is refused', () => {
  expect(() => documentOf(read, read)).toThrow('things:get');
});

test('the order of the routes does not matter', () => {
  expect(JSON.stringify(documentOf(create, list, read))).toBe(JSON.stringify(documentOf(read, list, create)));
  expect(Object.keys(documentOf(read, create).paths)).toEqual(['/v1/things/', '/v1/things/{id}']);
});

test("another service's record is a reference to its component", () => {
  const Parcel = z.object({ thing: owned<{ id: string }>('Thing').nullable() }).meta({ id: 'Parcel' });
  const parcel = route({ ...read, params: z.object({ id: Id }), response: Parcel, handle });
  expect(documentOf(parcel).components.schemas).toMatchObject({
    Parcel: {
      properties: { thing: { anyOf: [{ $ref: '#/components/schemas/Thing' }, { type: 'null' }] } },
      required: ['thing'],
    },
  });
  expect(documentOf(parcel).components.schemas).not.toHaveProperty('Thing');
});
