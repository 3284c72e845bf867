import { Problem, type ProblemType, problemType } from './http/problem.ts';

/** The refusal of a move that has no type of its own. */
export const MoveRefused = problemType('MoveRefused', 409);

/** Every status with the actions it takes and where each leads; a status without actions is final. */
type Table<S extends string> = Readonly<Record<S, Readonly<Record<string, S>>>>;

type ActionIn<T> = { [S in keyof T]: keyof T[S] & string }[keyof T];

/** What a refused action is answered with: always the same, or by the status it met. */
export type Refusal<S extends string> = ProblemType | ((status: S) => ProblemType);

export interface Machine<S extends string, A extends string> {
  /** What moves through the statuses, as it is called in a refusal. */
  readonly name: string;
  readonly statuses: readonly S[];
  readonly actions: readonly A[];
  /** The status after the action. @throws Problem when the status does not take the action */
  next(status: S, action: A): S;
  /** Whether the status takes the action. */
  can(status: S, action: A): boolean;
}

export type StatusOf<M> = M extends Machine<infer S, string> ? S : never;
export type ActionOf<M> = M extends Machine<string, infer A> ? A : never;

/**
 * A state machine from its table. Statuses and actions are typed by the table:
 * `type Status = StatusOf<typeof doorMachine>`.
 * @param refusals problem types by action; any other refused move is a 409 `MoveRefused`
 */
export function machine<const T extends Table<keyof T & string>>(
  name: string,
  table: T,
  refusals: Partial<Record<ActionIn<T>, Refusal<keyof T & string>>> = {},
): Machine<keyof T & string, ActionIn<T>> {
  type S = keyof T & string;
  type A = ActionIn<T>;
  const moves = new Map<string, ReadonlyMap<string, S>>();
  for (const [status, actions] of Object.entries<Readonly<Record<string, S>>>(table)) {
    moves.set(status, new Map(Object.entries(actions)));
  }
  const target = (status: S, action: A): S | undefined => moves.get(status)?.get(action);
  return {
    name,
    statuses: [...moves.keys()] as S[],
    actions: [...new Set([...moves.values()].flatMap((actions) => [...actions.keys()]))] as A[],
    can: (status, action) => target(status, action) !== undefined,
    next(status, action) {
      const found = target(status, action);
      if (found !== undefined) return found;
      const refusal: Refusal<S> = refusals[action] ?? MoveRefused;
      const type = typeof refusal === 'function' ? refusal(status) : refusal;
      throw new Problem(type, `The ${name} is ${words(status)}, which does not allow: ${words(action)}.`);
    },
  };
}

/** `past_due` and `paymentFailed` as people write them. */
const words = (identifier: string): string =>
  identifier.replaceAll('_', ' ').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
