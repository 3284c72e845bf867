import type { z } from 'zod';
import { type Issue, ValidationProblem } from './problem.ts';

type Loc = (string | number)[];

/** More would only burden the answer: the rest shows when these are mended. */
export const MAX_ISSUES = 1_000;

/** Reads `value` with `schema`; issues found (at most 1,000) are added to `issues` under `loc`, and undefined is returned. */
export function check<S extends z.ZodType>(
  schema: S,
  value: unknown,
  loc: Loc,
  issues: Issue[],
): z.output<S> | undefined {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  for (const issue of result.error.issues.slice(0, MAX_ISSUES)) issues.push(...toIssues(issue, loc));
  return undefined;
}

/** Reads `value` with `schema` or throws a 422 whose `loc`s start with `loc`. */
export function parseOrRefuse<S extends z.ZodType>(schema: S, value: unknown, loc: Loc): z.output<S> {
  const issues: Issue[] = [];
  const parsed = check(schema, value, loc, issues);
  if (issues.length > 0) throw new ValidationProblem(issues);
  return parsed as z.output<S>;
}

const MAX_ECHO = 200;

/** Zod's issue in the contract's words; the branch of a union that came closest speaks for the union. */
function toIssues(issue: z.core.$ZodIssue, loc: Loc): Issue[] {
  const here = [...loc, ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))];
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    return closest(issue.errors).flatMap((nested) =>
      toIssues({ ...nested, input: nested.input ?? issue.input } as z.core.$ZodIssue, here),
    );
  }
  if (issue.code === 'invalid_key') return issue.issues.flatMap((nested) => toIssues(nested, here));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MAX_ISSUES).map((key) => ({
      loc: [...here, key],
      msg: 'Extra inputs are not permitted',
      type: 'extra_forbidden',
    }));
  }
  const type = issueType(issue);
  const input = echo(issue.input);
  return [
    {
      loc: here,
      msg: type === 'missing' ? 'Field required' : issue.message,
      type,
      ...(input === undefined ? {} : { input }),
    },
  ];
}

function closest(branches: z.core.$ZodIssue[][]): z.core.$ZodIssue[] {
  const depth = (branch: z.core.$ZodIssue[]) => Math.max(...branch.map((issue) => issue.path.length));
  const isTypeError = (branch: z.core.$ZodIssue[]) =>
    branch.some((issue) => issue.code === 'invalid_type' && issue.path.length === 0);
  return branches.toSorted(
    (a, b) => Number(isTypeError(a)) - Number(isTypeError(b)) || depth(b) - depth(a) || a.length - b.length,
  )[0]!;
}

function issueType(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'missing' : `${issue.expected}_type`;
    case 'too_small':
      if (issue.origin === 'string') return 'string_too_short';
      if (issue.origin === 'array') return 'too_short';
      return issue.inclusive === false ? 'greater_than' : 'greater_than_equal';
    case 'too_big':
      if (issue.origin === 'string') return 'string_too_long';
      if (issue.origin === 'array') return 'too_long';
      return issue.inclusive === false ? 'less_than' : 'less_than_equal';
    case 'invalid_format':
      return issue.format === 'uuid'
        ? 'uuid_parsing'
        : issue.format === 'datetime'
          ? 'datetime_parsing'
          : 'string_pattern_mismatch';
    case 'invalid_value':
      return issue.input === undefined ? 'missing' : issue.values.length === 1 ? 'literal_error' : 'enum';
    case 'invalid_union':
      return issue.input === undefined ? 'missing' : 'union_tag_invalid';
    case 'custom':
      return typeof issue.params?.type === 'string' ? issue.params.type : 'value_error';
    default:
      return 'value_error';
  }
}

/** The offending value, where it is small enough to send back. */
function echo(input: unknown): unknown {
  if (input === null || typeof input === 'number' || typeof input === 'boolean') return input;
  if (typeof input === 'string') return input.length <= MAX_ECHO ? input : undefined;
  return undefined;
}

const NUL = String.fromCharCode(0);

/** Text whose JSON may hold characters that cannot be stored; worth a closer look by `hostileIssues`. */
export const mayHoldUnstorable = (json: string): boolean => /\\u(?:0000|d[89a-f])/i.test(json);

const PROTOTYPE = '__proto__';

/** The same for text that may hold anything which `hostileIssues` finds; a character may be written as its number. */
export const mayBeHostile = (json: string): boolean =>
  json.includes(PROTOTYPE) || /\\u(?:0000|00[567][\da-f]|d[89a-f])/i.test(json);

/**
 * Finds what PostgreSQL cannot store in any string or key of a JSON value: a NUL character (domain rules 0.1) or half
 * of a surrogate pair.
 */
export const nulIssues = (value: unknown, loc: Loc): Issue[] => textsIn(value, loc, keyIssues);

/** The same, and keys that name an object's prototype, which get lost on the way. */
export const hostileIssues = (value: unknown, loc: Loc): Issue[] =>
  textsIn(value, loc, (key, place) => [...keyIssues(key, place), ...prototypeIssues(key, place)]);

function textsIn(value: unknown, loc: Loc, ofKey: (key: string, loc: Loc) => Issue[]): Issue[] {
  if (typeof value === 'string') return textIssues(value, 'String', loc);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) => [
    ...ofKey(key, loc),
    ...textsIn(item, [...loc, Array.isArray(value) ? Number(key) : key], ofKey),
  ]);
}

const keyIssues = (key: string, loc: Loc): Issue[] => textIssues(key, 'Key', loc);

const prototypeIssues = (key: string, loc: Loc): Issue[] =>
  key === PROTOTYPE
    ? [{ loc: [...loc, key], msg: `Key should not be ${PROTOTYPE}`, type: 'extra_forbidden' }]
    : [];

function textIssues(text: string, what: string, loc: Loc): Issue[] {
  if (text.includes(NUL)) {
    return [{ loc, msg: `${what} should not contain NUL characters`, type: 'string_nul' }];
  }
  return text.isWellFormed() ? [] : [{ loc, msg: `${what} should be valid Unicode`, type: 'string_unicode' }];
}
