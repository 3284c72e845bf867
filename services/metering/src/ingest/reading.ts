import type { Principal } from '@tributary/proto/principal.ts';
import { type Issue, ValidationProblem } from '@tributary/runtime/http/problem.ts';
import { MAX_ISSUES } from '@tributary/runtime/http/validation.ts';

export type Loc = readonly (string | number)[];

/** What all events of a request are read with. */
export interface Reading {
  principal: Principal;
  now: number;
  issues: Issue[];
  /** The text of the request has escapes that may stand for characters that cannot be stored. */
  isSuspicious: boolean;
}

export const UNSTORABLE = 'String should be valid Unicode without NUL characters';
export const isStorable = (value: string): boolean => !value.includes('\0') && value.isWellFormed();

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const MAX_ECHO = 200;

/** Adds an issue; returns undefined, so that a reader can end with it. */
export function refuse(reading: Reading, loc: Loc, type: string, msg: string, input?: unknown): undefined {
  const echoed = typeof input === 'string' ? input.length <= MAX_ECHO : typeof input === 'number';
  addIssue(reading, { loc: [...loc], msg, type, ...(echoed ? { input } : {}) });
}

/** @throws ValidationProblem when there are enough */
export function addIssue({ issues }: Reading, issue: Issue): void {
  issues.push(issue);
  if (issues.length === MAX_ISSUES) throw new ValidationProblem(issues);
}

/** Whether objects and lists nest deeper than `limit` in a value. */
export function nestsDeeper(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return limit === 0 || Object.values(value).some((item) => nestsDeeper(item, limit - 1));
}
