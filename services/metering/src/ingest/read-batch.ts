import { setImmediate as breathe } from 'node:timers/promises';
import type { Principal } from '@tributary/proto/principal.ts';
import { type Issue, ValidationProblem } from '@tributary/runtime/http/problem.ts';
import { mayHoldUnstorable } from '@tributary/runtime/http/validation.ts';
import { type IngestedEvent, readEvent } from './event-input.ts';
import { elementsOf } from './json-elements.ts';
import { isObject, nestsDeeper, type Reading } from './reading.ts';

/** Texts up to this length are parsed in one go, which takes about 4 ms. */
const SMALL = 512 * 1024;
/** Elements parsed and checked between two breaths: about 3 ms of work. */
const CHUNK = 500;
/** More would only burden the answer: the rest shows when these are mended. */
const MAX_ISSUES = 1_000;

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
  let index = 0;
  for await (const piece of piecesOf(text)) {
    for (const raw of piece) {
      const event = readEvent(raw, index, reading);
      if (event) events.push(event);
      index += 1;
      if (reading.issues.length >= MAX_ISSUES)
        throw new ValidationProblem(reading.issues.slice(0, MAX_ISSUES));
    }
  }
  if (reading.issues.length > 0) throw new ValidationProblem(reading.issues);
  return events;
}

async function* piecesOf(text: string): AsyncGenerator<unknown[]> {
  if (text.length <= SMALL) {
    yield eventsOf(parse(text));
    return;
  }
  const found = await elementsOf(text, 'events');
  if (!found) {
    yield eventsOf(parse(text));
    return;
  }
  eventsOf(parse(found.rest));
  for (let start = 0; start < found.ends.length; start += CHUNK) {
    const last = Math.min(start + CHUNK, found.ends.length) - 1;
    const from = start === 0 ? found.start : found.ends[start - 1]! + 1;
    const piece = parse(`[${text.slice(from, found.ends[last])}]`) as unknown[];
    // An empty place between two commas parses as nothing at all when it is alone in its piece.
    if (piece.length !== last - start + 1) throw new ValidationProblem([BROKEN]);
    yield piece;
    await breathe();
  }
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
