import { Problem, problemType } from './http/problem.ts';
import { type ActionOf, MoveRefused, machine, type StatusOf } from './machine.ts';
import { testMachine } from './testing/machine-table.ts';

const DoorBroken = problemType('DoorBroken', 410);
const DoorLocked = problemType('DoorLocked', 403);

const door = machine(
  'door',
  {
    open: { close: 'closed', fallApart: 'broken' },
    closed: { open: 'open', lock: 'locked_twice', fallApart: 'broken' },
    locked_twice: { unlock: 'closed' },
    broken: {},
  },
  { open: (status) => (status === 'locked_twice' ? DoorLocked : MoveRefused), unlock: DoorBroken },
);

testMachine(
  door,
  [
    'open close -> closed',
    'open fallApart -> broken',
    'closed open -> open',
    'closed lock -> locked_twice',
    'closed fallApart -> broken',
    'locked_twice unlock -> closed',
  ],
  (status, action) => {
    if (action === 'unlock') return 410;
    return action === 'open' && status === 'locked_twice' ? 403 : 409;
  },
);

test('statuses and actions are read off the table', () => {
  const status: StatusOf<typeof door> = 'broken';
  const action: ActionOf<typeof door> = 'unlock';
  // @ts-expect-error: no such status
  const wrong: StatusOf<typeof door> = 'ajar';
  expect(door.statuses).toEqual(['open', 'closed', 'locked_twice', 'broken']);
  expect(door.statuses).toContain(status);
  expect(door.statuses).not.toContain(wrong);
  expect(door.actions).toEqual(['close', 'fallApart', 'open', 'lock', 'unlock']);
  expect(door.actions).toContain(action);
});

test('a table cannot lead to a status it does not have', () => {
  // @ts-expect-error: nothing is "gone"
  machine('lamp', { on: { break: 'gone' } });
});

test('a refusal says what is in which state and what was asked of it', () => {
  const refused = () => door.next('locked_twice', 'fallApart');
  expect(refused).toThrow(Problem);
  expect(refused).toThrow('The door is locked twice, which does not allow: fall apart.');
});

test.each(['constructor', '__proto__', 'toString'])(
  'a status or action called %s is unknown, not inherited',
  (name) => {
    expect(door.can(name as 'open', 'close')).toBe(false);
    expect(door.can('open', name as 'close')).toBe(false);
  },
);
