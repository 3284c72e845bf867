import { Problem } from '../http/problem.ts';
import type { Machine } from '../machine.ts';

/** One allowed move, as a rule is written down: `open close -> closed`. */
export type Move<S extends string, A extends string> = `${S} ${A} -> ${S}`;

/**
 * One test for each status and action of a machine: a move listed in `allowed` leads where the list says, any other
 * pair is refused with a Problem. The list is the rule in its author's second writing, not a copy of the table.
 * @param refusedWith HTTP status of a refusal, where it is not 409
 */
export function testMachine<S extends string, A extends string>(
  machine: Machine<S, A>,
  allowed: readonly Move<S, A>[],
  refusedWith: (status: S, action: A) => number = () => 409,
): void {
  const targets = new Map<string, string>();
  for (const move of allowed) {
    const [from, to] = move.split(' -> ');
    targets.set(from!, to!);
  }
  describe(`${machine.name} machine`, () => {
    for (const status of machine.statuses) {
      for (const action of machine.actions) {
        const target = targets.get(`${status} ${action}`);
        if (target === undefined) refuses(machine, status, action, refusedWith(status, action));
        else leads(machine, status, action, target);
      }
    }
    test('knows every status and action of the listed moves', () => {
      const pairs = machine.statuses.flatMap((status) =>
        machine.actions.map((action) => `${status} ${action}`),
      );
      expect([...targets.keys()].filter((pair) => !pairs.includes(pair))).toEqual([]);
    });
  });
}

function leads<S extends string, A extends string>(
  machine: Machine<S, A>,
  status: S,
  action: A,
  target: string,
): void {
  test(`${status}: ${action} leads to ${target}`, () => {
    expect(machine.can(status, action)).toBe(true);
    expect(machine.next(status, action)).toBe(target);
  });
}

function refuses<S extends string, A extends string>(
  machine: Machine<S, A>,
  status: S,
  action: A,
  code: number,
): void {
  test(`${status}: refuses ${action} with ${code}`, () => {
    expect(machine.can(status, action)).toBe(false);
    expect(refusalOf(() => machine.next(status, action))?.type.status).toBe(code);
  });
}

function refusalOf(move: () => unknown): Problem | undefined {
  try {
    move();
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
