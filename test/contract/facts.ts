import { type Shape, shapeOf } from './shape.ts';

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document, ours or the reference's
type Document = any;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** What an OpenAPI document promises, one line a fact, by operation (`GET /v1/orders/`). */
export function factsOf(document: Document): Map<string, string[]> {
  const facts = new Map<string, string[]>();
  for (const [path, item] of Object.entries<Document>(document.paths)) {
    for (const method of METHODS) {
      if (item[method]) facts.set(`${method.toUpperCase()} ${path}`, operationFacts(item[method], document));
    }
  }
  return facts;
}

function operationFacts(operation: Document, document: Document): string[] {
  const facts: string[] = [];
  for (const parameter of operation.parameters ?? []) {
    const need = parameter.required ? 'required' : 'optional';
    facts.push(...shapeFacts(`${parameter.in} ${parameter.name}`, shapeOf(parameter.schema, document), need));
  }
  for (const [type, media] of Object.entries<Document>(operation.requestBody?.content ?? {})) {
    facts.push(`request ${type}`, ...shapeFacts('request', shapeOf(media.schema, document), 'required'));
  }
  for (const [status, response] of Object.entries<Document>(operation.responses)) {
    facts.push(`status ${status}`);
    const schema = response.content?.['application/json']?.schema;
    if (schema && status.startsWith('2'))
      facts.push(...shapeFacts(status, shapeOf(schema, document), 'required'));
  }
  for (const requirement of operation.security ?? []) {
    for (const [scheme, scopes] of Object.entries<string[]>(requirement))
      facts.push(`scheme ${scheme}: ${scopes.toSorted().join(' ')}`.trimEnd());
  }
  return [...new Set(facts)].toSorted();
}

function shapeFacts(path: string, shape: Shape, need: string): string[] {
  const values = shape.values ? ` = ${[...shape.values].toSorted().join(' ')}` : '';
  const facts = [`${path}: ${[...shape.types].toSorted().join('|')}${values} (${need})`];
  for (const [name, property] of shape.properties) {
    facts.push(
      ...shapeFacts(`${path}.${name}`, property.shape, property.isRequired ? 'required' : 'optional'),
    );
  }
  if (shape.items) facts.push(...shapeFacts(`${path}[]`, shape.items, 'required'));
  if (shape.entries) facts.push(...shapeFacts(`${path}{}`, shape.entries, 'required'));
  return facts;
}
