import { type Issue, ValidationProblem } from '@tributary/runtime/http/problem.ts';
import type { AttachedCustomField } from '../products/product.ts';
import type { CustomFieldData } from './checkout.ts';

type Value = CustomFieldData[string];
type Field = AttachedCustomField['custom_field'];

/**
 * The answers that are known by slug, over those given before; null takes an answer back, unknown slugs are dropped.
 * An answer that its field does not take is a 422 at it; whether all required ones are there is asked at the end.
 */
export function mergeAnswers(
  attached: readonly AttachedCustomField[],
  known: CustomFieldData,
  given: CustomFieldData,
): CustomFieldData {
  const issues: Issue[] = [];
  const merged: CustomFieldData = {};
  for (const { custom_field: field } of attached) {
    const value = field.slug in given ? given[field.slug]! : (known[field.slug] ?? null);
    if (value === null) continue;
    const fault = field.slug in given ? faultOf(field, value) : undefined;
    if (fault)
      issues.push({ loc: ['body', 'custom_field_data', field.slug], msg: fault, type: 'value_error' });
    merged[field.slug] = value;
  }
  if (issues.length > 0) throw new ValidationProblem(issues);
  return merged;
}

/** Slugs of required fields without an answer; a required checkbox has to be checked. */
export const missingAnswers = (attached: readonly AttachedCustomField[], given: CustomFieldData): string[] =>
  attached
    .filter(({ required }) => required)
    .map(({ custom_field }) => custom_field)
    .filter(({ slug, type }) => (type === 'checkbox' ? given[slug] !== true : isBlank(given[slug])))
    .map(({ slug }) => slug);

const isBlank = (value: Value | undefined) => value === undefined || value === null || value === '';

function faultOf(field: Field, value: NonNullable<Value>): string | undefined {
  switch (field.type) {
    case 'text':
      return textFault(field.properties, value);
    case 'number':
      return typeof value === 'number' && Number.isInteger(value)
        ? boundsFault(field.properties, value)
        : 'Input should be a valid integer';
    case 'date':
      return dateFault(field.properties, value);
    case 'checkbox':
      return typeof value === 'boolean' ? undefined : 'Input should be a valid boolean';
    case 'select':
      return selectFault(field.properties, value);
  }
}

type Properties = Field['properties'];

function textFault({ min_length, max_length }: Properties, value: NonNullable<Value>): string | undefined {
  if (typeof value !== 'string') return 'Input should be a valid string';
  if (typeof min_length === 'number' && value.length < min_length)
    return `String should have at least ${min_length} characters`;
  if (typeof max_length === 'number' && value.length > max_length)
    return `String should have at most ${max_length} characters`;
  return undefined;
}

function boundsFault({ ge, le }: Properties, value: number): string | undefined {
  if (typeof ge === 'number' && value < ge) return `Input should be greater than or equal to ${ge}`;
  if (typeof le === 'number' && value > le) return `Input should be less than or equal to ${le}`;
  return undefined;
}

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Bounds are seconds since the epoch. */
function dateFault(properties: Properties, value: NonNullable<Value>): string | undefined {
  const at = typeof value === 'string' && DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? 'Input should be a valid date' : boundsFault(properties, Math.floor(at / 1000));
}

function selectFault({ options }: Properties, value: NonNullable<Value>): string | undefined {
  const isOffered =
    Array.isArray(options) && options.some((option: { value?: unknown }) => option.value === value);
  return isOffered ? undefined : 'Input should be one of the options';
}
