import { parseJson } from '@tributary/runtime/http/body.ts';
import { ValidationProblem } from '@tributary/runtime/http/problem.ts';
import { nulIssues, parseOrRefuse } from '@tributary/runtime/http/validation.ts';
import { type Filter, FilterInput } from './schema.ts';

/** Reads a filter written as JSON into a query parameter; 422 at `loc` when it is none. */
export function readFilter(text: string, loc: string[]): Filter {
  const value = parsed(text, loc);
  const issues = nulIssues(value, loc);
  if (issues.length > 0) throw new ValidationProblem(issues);
  return parseOrRefuse(FilterInput, value, loc);
}

function parsed(text: string, loc: string[]): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof ValidationProblem)) throw error;
    throw new ValidationProblem(error.issues.map((issue) => ({ ...issue, loc })));
  }
}
