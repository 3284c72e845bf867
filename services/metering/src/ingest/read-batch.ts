import type { Principal } from '@tributary/proto/principal.ts';
import { type Issue, ValidationProblem } from '@tributary/runtime/http/problem.ts';
import { mayHoldUnstorable } from '@tributary/runtime/http/validation.ts';
import { type IngestedEvent, readEvent } from './event-input.ts';
import { elementsOf } from './json-elements.ts';
import { isObject, nestsDeeper, type Reading } from './reading.ts';
import { inSlices, turn } from './turns.ts';

/** Texts up to this length are parsed in one go, which takes some milliseconds; to find their pieces would take one more. */
const SMALL = 512 * 1024;
/** Longest piece of a larger text, and most elements of any, that are looked at between two breaths. */
const PIECE = { characters: 48 * 1024, elements: 256 };

/**
 * Reads the events of a request, all or none: 422 with every issue found (the first 1,000 of them). A large text is
 * parsed and checked piece by piece, so that requests beside it need not wait.
 */
export async function readBatch(text: string, principal: Principal, now: Date): Promise<IngestedEvent[]> {
  const reading: Reading = {
    principal,
    now: now.getTime(),
    issues: [],
    isSuspicious: mayHoldUnstorable(text),
  };
  const events: IngestedEvent[] = [];
  if (text.length <= SMALL) await takeSlices(eventsOf(parse(text)), events, reading);
  else await takePieces(text, events, reading);
  if (reading.issues.length > 0) throw new ValidationProblem(reading.issues);
  return events;
}

/** Reads the elements from the one at `first` on. */
function take(elements: readonly unknown[], first: number, events: IngestedEvent[], reading: Reading): void {
  for (let place = 0; place < elements.length; place += 1) {
    const event = readEvent(elements[place], first + place, reading);
    if (event) events.push(event);
  }
}

async function takeSlices(
  elements: readonly unknown[],
  events: IngestedEvent[],
  reading: Reading,
): Promise<void> {
  await inSlices(elements, PIECE.elements, (slice, first) => take(slice, first, events, reading));
}

async function takePieces(text: string, events: IngestedEvent[], reading: Reading): Promise<void> {
  const found = await elementsOf(text, 'events');
  if (!found) return takeSlices(eventsOf(parse(text)), events, reading);
  eventsOf(parse(found.rest));
  for (let next = 0, from = found.start; next < found.ends.length; ) {
    if (next > 0) await turn();
    const first = next;
    next = endOfPiece(found.ends, first, from);
    const piece = parse(`[${text.slice(from, found.ends[next - 1])}]`) as unknown[];
    // An empty place between two commas parses as nothing at all when it is alone in its piece.
    if (piece.length !== next - first) throw new ValidationProblem([BROKEN]);
    take(piece, first, events, reading);
    from = found.ends[next - 1]! + 1;
  }
}

/** Place behind the last element of the piece that begins with the element at `first`. */
function endOfPiece(ends: readonly number[], first: number, from: number): number {
  let next = first + 1;
  while (next < ends.length && next - first < PIECE.elements && ends[next]! - from <= PIECE.characters)
    next += 1;
  return next;
}

const BROKEN: Issue = { loc: ['body'], msg: 'JSON decode error', type: 'json_invalid' };
/** The same as for every other body; events look after their own depth. */
const MAX_DEPTH = 64;

/** Without the usual look at every character for depth, which would cost as much as the parse. */
function parse(text: string): unknown {
  if (text.length === 0) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ValidationProblem([{ ...BROKEN, ctx: { error: (error as Error).message.slice(0, 200) } }]);
  }
}

function eventsOf(body: unknown): unknown[] {
  if (body === undefined) throw missing(['body']);
  if (!isObject(body)) {
    throw new ValidationProblem([{ loc: ['body'], msg: 'Input should be an object', type: 'object_type' }]);
  }
  const { events, ...others } = body;
  if (nestsDeeper(others, MAX_DEPTH))
    throw new ValidationProblem([{ ...BROKEN, msg: 'JSON nested too deeply' }]);
  if (events === undefined) throw missing(['body', 'events']);
  if (!Array.isArray(events)) {
    throw new ValidationProblem([
      { loc: ['body', 'events'], msg: 'Input should be an array', type: 'array_type' },
    ]);
  }
  return events;
}

const missing = (loc: string[]) => new ValidationProblem([{ loc, msg: 'Field required', type: 'missing' }]);
