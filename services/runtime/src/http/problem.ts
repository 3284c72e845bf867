/** A kind of refusal a client can act on: the `error` name of the body and its HTTP status. */
export interface ProblemType {
  readonly name: string;
  readonly status: number;
}

/** Declares a problem type; a service lists its own in `problems.ts`, once. */
export const problemType = (name: string, status: number): ProblemType => ({ name, status });

export const BadRequest = problemType('BadRequest', 400);
export const Unauthorized = problemType('Unauthorized', 401);
export const NotPermitted = problemType('NotPermitted', 403);
export const InsufficientScope = problemType('insufficient_scope', 403);
export const ResourceNotFound = problemType('ResourceNotFound', 404);
export const IdempotentRequestRunning = problemType('IdempotentRequestRunning', 409);
export const AnswerForgotten = problemType('ResourceUnavailable', 410);
export const LengthRequired = problemType('LengthRequired', 411);
export const RequestBodyTooLarge = problemType('RequestBodyTooLarge', 413);
export const RateLimitExceeded = problemType('RateLimitExceeded', 429);
export const ServiceUnavailable = problemType('ServiceUnavailable', 503);

/**
 * A refusal, answered with `{error, detail}` and the type's status (service description, section 7).
 * Anything else that is thrown is a bug: logged with its stack, answered 500 without detail.
 */
export class Problem extends Error {
  readonly type: ProblemType;
  readonly headers: Record<string, string>;

  constructor(type: ProblemType, detail: string, headers: Record<string, string> = {}) {
    super(detail);
    this.name = type.name;
    this.type = type;
    this.headers = headers;
  }
}

/** The body a problem is answered with; OAuth's own refusal also carries the text under OAuth's own name for it. */
export const problemBody = ({ type, message }: Problem) => ({
  error: type.name,
  detail: message,
  ...(type === InsufficientScope ? { error_description: message } : {}),
});

/** One entry of a validation answer (HTTPValidationError of the contract). */
export interface Issue {
  loc: (string | number)[];
  msg: string;
  type: string;
  input?: unknown;
  ctx?: Record<string, unknown>;
}

/** 422 with every issue found; `loc` starts with `path`, `query` or `body`. */
export class ValidationProblem extends Error {
  readonly issues: Issue[];

  constructor(issues: Issue[]) {
    super(issues.map((issue) => `${issue.loc.join('.')}: ${issue.msg}`).join('; '));
    this.name = 'RequestValidationError';
    this.issues = issues;
  }
}

/** A single-issue 422, for rules that only the handler can check. */
export function invalid(
  loc: (string | number)[],
  msg: string,
  type = 'value_error',
  input?: unknown,
): ValidationProblem {
  return new ValidationProblem([{ loc, msg, type, ...(input === undefined ? {} : { input }) }]);
}

/** 404 for a record that does not exist or belongs to another organization: the two look the same. */
export const notFound = (detail = 'Not found'): Problem => new Problem(ResourceNotFound, detail);
