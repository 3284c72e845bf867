import { type Scheme, schemes } from '@tributary/proto/access.ts';
import { z } from 'zod';
import { type Components, components, type JsonSchema } from './openapi-schema.ts';
import type { ProblemType } from './problem.ts';
import type { Route } from './route.ts';

type AnyRoute = Route<never>;

/** An OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1). */
export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; version: string; description?: string };
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, JsonSchema>>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<Scheme, JsonSchema> };
}

const securitySchemes: Record<Scheme, JsonSchema> = {
  oidc: { type: 'openIdConnect', openIdConnectUrl: '/.well-known/openid-configuration' },
  pat: { type: 'http', scheme: 'bearer', description: 'Personal access token' },
  oat: { type: 'http', scheme: 'bearer', description: 'Organization access token' },
  customer_session: { type: 'http', scheme: 'bearer', description: 'Customer session token' },
  member_session: { type: 'http', scheme: 'bearer', description: 'Member session token' },
};

const ValidationError = z
  .object({
    loc: z.array(z.union([z.string(), z.int()])),
    msg: z.string(),
    type: z.string(),
    input: z.unknown().optional(),
    ctx: z.looseObject({}).optional(),
  })
  .meta({ id: 'ValidationError' });
const HTTPValidationError = z
  .object({ detail: z.array(ValidationError) })
  .meta({ id: 'HTTPValidationError' });

/**
 * The document that describes the routes, whatever services they belong to. Paths and components are sorted, so that
 * the same routes give the same text.
 * @throws Error when two operations share an id or two different shapes do
 */
export function openApiDocument(routes: readonly AnyRoute[], info: OpenApiDocument['info']): OpenApiDocument {
  const named = components();
  const paths: OpenApiDocument['paths'] = {};
  const operations = new Set<string>();
  for (const route of routes.toSorted(byPathAndMethod)) {
    if (operations.has(route.operation))
      throw new Error(`two routes have the operation id "${route.operation}"`);
    operations.add(route.operation);
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route, named) };
  }
  const tags = [...new Set(routes.map(tagOf))].sort().map((name) => ({ name }));
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: '/' }],
    tags,
    paths,
    components: { schemas: named.all(), securitySchemes },
  };
}

function byPathAndMethod(a: AnyRoute, b: AnyRoute): number {
  const [left, right] = [`${a.path} ${a.method}`, `${b.path} ${b.method}`];
  return left < right ? -1 : left > right ? 1 : 0;
}

const tagOf = (route: AnyRoute): string =>
  route.operation.slice(0, Math.max(0, route.operation.lastIndexOf(':')));

function operationOf(route: AnyRoute, named: Components): JsonSchema {
  const parameters = [...pathParameters(route, named), ...queryParameters(route, named)];
  return {
    operationId: route.operation,
    summary: route.summary,
    tags: [tagOf(route)],
    ...(route.access.schemes.length > 0 ? { security: securityOf(route) } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBody(route, named),
    responses: responsesOf(route, named),
  };
}

/** Any one scheme will do, and any one of its scopes: the list names those that grant access. */
const securityOf = (route: AnyRoute) =>
  schemes
    .filter((scheme) => route.access.schemes.includes(scheme))
    .map((scheme) => ({ [scheme]: [...route.access.scopes] }));

function pathParameters(route: AnyRoute, named: Components): JsonSchema[] {
  return [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    const shape = route.params?.shape[name!] as z.ZodType | undefined;
    const schema = shape ? named.convert(shape, route.operation) : { type: 'string' };
    return { name, in: 'path', required: true, schema };
  });
}

function queryParameters(route: AnyRoute, named: Components): JsonSchema[] {
  return Object.entries(route.query?.shape ?? {}).map(([name, field]) => {
    const shape = field as z.ZodType;
    const meta = shape.meta() ?? {};
    const schema = named.convert(shape, route.operation);
    return {
      name,
      in: 'query',
      required: !mayBeAbsent(shape),
      ...(meta.description ? { description: meta.description } : {}),
      ...(meta.deprecated ? { deprecated: true } : {}),
      ...(meta.query === 'deepObject' ? { style: 'deepObject', explode: true } : {}),
      schema: mayBeAbsent(shape) ? optional(schema) : schema,
    };
  });
}

/** Whether leaving the value out is valid: it is optional or has a default. */
const mayBeAbsent = (shape: z.ZodType): boolean => shape._zod.optin !== undefined;

/**
 * The schema of a parameter that may be left out. Sorting and the like, which have a default, are lists: repeating
 * the name writes one. The others may be null, as the contract has it.
 */
function optional(schema: JsonSchema): JsonSchema {
  const { anyOf, default: fallback, ...rest } = schema;
  const variants = anyOf as JsonSchema[] | undefined;
  const hasDefault = fallback !== undefined;
  if (hasDefault && variants === undefined) return schema;
  const lists = variants?.filter((variant) => variant.type === 'array') ?? [];
  const chosen = variants === undefined ? [rest] : hasDefault && lists.length > 0 ? lists : variants;
  const isNullable = chosen.some((variant) => variant.type === 'null');
  return {
    anyOf: isNullable ? chosen : [...chosen, { type: 'null' }],
    ...(variants === undefined ? {} : rest),
    ...(hasDefault ? { default: fallback } : {}),
  };
}

function requestBody(route: AnyRoute, named: Components): JsonSchema {
  if (route.upload) {
    return { requestBody: { required: true, content: { 'application/octet-stream': { schema: {} } } } };
  }
  if (!route.body) return {};
  const type = route.form ? 'application/x-www-form-urlencoded' : 'application/json';
  const schema = named.convert(route.body, route.operation);
  return { requestBody: { required: !mayBeAbsent(route.body), content: { [type]: { schema } } } };
}

function responsesOf(route: AnyRoute, named: Components): Record<string, JsonSchema> {
  const refusals = new Map<number, JsonSchema[]>();
  const refuse = (status: number, schema: JsonSchema) =>
    refusals.set(status, [...(refusals.get(status) ?? []), schema]);
  for (const problem of route.problems) refuse(problem.status, problemSchema(problem, route, named));
  if (takesInput(route)) refuse(422, named.convert(HTTPValidationError, route.operation));
  const responses: Record<string, JsonSchema> = { [route.status]: success(route, named) };
  for (const [status, variants] of [...refusals].sort(([a], [b]) => a - b)) {
    const schema = variants.length === 1 ? variants[0]! : { anyOf: variants };
    const description = descriptions[status] ?? 'Refused';
    responses[status] = { description, content: { 'application/json': { schema } } };
  }
  return responses;
}

const takesInput = (route: AnyRoute): boolean =>
  Boolean(route.params ?? route.query ?? route.body) || route.path.includes('{');

function success(route: AnyRoute, named: Components): JsonSchema {
  const description = descriptions[route.status] ?? 'Success';
  if (!route.response) return { description };
  const type = (route.response.meta()?.content_type as string | undefined) ?? 'application/json';
  return { description, content: { [type]: { schema: named.convert(route.response, route.operation) } } };
}

function problemSchema(problem: ProblemType, route: AnyRoute, named: Components): JsonSchema {
  const schema = {
    type: 'object',
    properties: { error: { type: 'string', const: problem.name }, detail: { type: 'string' } },
    required: ['error', 'detail'],
  };
  return named.add(problem.name, schema, route.operation);
}

const descriptions: Record<number, string> = {
  200: 'Success',
  201: 'Created',
  202: 'Accepted',
  204: 'Done; nothing to tell',
  302: 'Go elsewhere',
  400: 'Refused',
  401: 'Credentials missing or not accepted',
  402: 'Payment failed or needs another step',
  403: 'Not allowed',
  404: 'Not found',
  409: 'In conflict with the present state',
  410: 'No longer available',
  412: 'Not in the state this needs',
  422: 'The request is not valid',
  429: 'Too many requests',
};
