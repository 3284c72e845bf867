import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer } from '../story/api.ts';

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
type Document = any;

/** Throws when an answer is not what the API's own OpenAPI document promises: its status, and its body's schema. */
export function responseValidator(document: Document): (answer: Answer) => void {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addFormat('uuid4', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  ajv.addSchema(document, 'api');
  const validators = new Map<string, ValidateFunction>();
  const paths = Object.keys(document.paths).map((path) => ({ path, pattern: patternOf(path) }));

  return ({ method, path, status, body }) => {
    const target = path.split('?')[0]!;
    const template = paths
      .filter(({ pattern }) => pattern.test(target))
      .toSorted((a, b) => parameters(a.path) - parameters(b.path))[0]?.path;
    const operation = template && document.paths[template][method.toLowerCase()];
    if (!operation) throw new Error(`${method} ${target} is not in the API document`);
    if (status === 401 || status === 413 || status === 429) return;
    if (status === 403 && body.error === 'insufficient_scope') return;
    const response = operation.responses[status];
    if (!response)
      throw new Error(
        `${method} ${template} answered ${status}, which its document does not list: ${JSON.stringify(body)}`,
      );
    if (!response.content?.['application/json']) return;
    const pointer = `api#/paths/${pointerPart(template)}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`;
    let validate = validators.get(pointer);
    if (!validate) {
      validate = ajv.compile({ $ref: pointer });
      validators.set(pointer, validate);
    }
    if (!validate(body))
      throw new Error(
        `${method} ${template} ${status}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body).slice(0, 2_000)}`,
      );
  };
}

const parameters = (path: string) => path.split('{').length;
const patternOf = (path: string) =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
const pointerPart = (path: string) => encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'));
