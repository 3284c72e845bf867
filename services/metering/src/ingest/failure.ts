import { type Issue, Problem, type ProblemType, ValidationProblem } from '@tributary/runtime/http/problem.ts';

/** An error in a form that can leave its thread: of classes only the built-in ones arrive as what they were. */
export type Failure =
  | { kind: 'validation'; issues: Issue[] }
  | { kind: 'problem'; type: ProblemType; detail: string; headers: Record<string, string> }
  | { kind: 'other'; message: string; stack: string | undefined; code: string | undefined };

export function failureOf(error: unknown): Failure {
  if (error instanceof ValidationProblem) return { kind: 'validation', issues: error.issues };
  if (error instanceof Problem) {
    return { kind: 'problem', type: error.type, detail: error.message, headers: error.headers };
  }
  const { message, stack } = error as Error;
  return { kind: 'other', message, stack, code: (error as { code?: string }).code };
}

export function errorOf(failure: Failure): Error {
  switch (failure.kind) {
    case 'validation':
      return new ValidationProblem(failure.issues);
    case 'problem':
      return new Problem(failure.type, failure.detail, failure.headers);
    case 'other':
      return Object.assign(new Error(failure.message), { stack: failure.stack, code: failure.code });
  }
}
