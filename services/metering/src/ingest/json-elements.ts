import { turn } from './turns.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
/** Characters scanned between two breaths: less than a millisecond. */
const SPAN = 256 * 1024;

/** Where the elements of an array lie in a JSON text that has not been parsed. */
export interface Elements {
  /** First character behind the opening bracket. */
  start: number;
  /** For each element the place of the comma, or of the closing bracket, behind it. */
  ends: number[];
  /** The text with the array emptied. */
  rest: string;
}

/**
 * Finds the elements of the array that a top-level object holds under `key`, looking at brackets and strings only:
 * what lies between is not checked. Undefined unless the key is there exactly once, with an array, and no string beside
 * it has escapes.
 */
export async function elementsOf(text: string, key: string): Promise<Elements | undefined> {
  const scan: Scan = { depth: 0, index: 0, start: -1, close: -1, ends: [], isDone: false, isHopeless: false };
  const quoted = JSON.stringify(key);
  while (scan.index < text.length && !scan.isHopeless) {
    scanSpan(text, quoted, scan, Math.min(scan.index + SPAN, text.length));
    await turn();
  }
  if (scan.isHopeless || scan.close < 0) return undefined;
  const isEmpty = scan.ends.length === 1 && text.slice(scan.start, scan.close).trim() === '';
  return {
    start: scan.start,
    ends: isEmpty ? [] : scan.ends,
    rest: text.slice(0, scan.start) + text.slice(scan.close),
  };
}

interface Scan {
  depth: number;
  index: number;
  start: number;
  close: number;
  ends: number[];
  isDone: boolean;
  isHopeless: boolean;
}

function scanSpan(text: string, quoted: string, scan: Scan, until: number): void {
  let { depth, index } = scan;
  const { ends } = scan;
  while (index < until) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      const end = endOfString(text, index);
      if (depth === 1 && !passTopLevelString(text, quoted, index, end, scan)) {
        scan.isHopeless = true;
        return;
      }
      index = end;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
      if (depth === 1 && scan.start >= 0 && !scan.isDone && index >= scan.start) {
        ends.push(index);
        scan.close = index;
        scan.isDone = true;
      }
    } else if (code === COMMA && depth === 2 && scan.start >= 0 && !scan.isDone && index >= scan.start) {
      ends.push(index);
    }
    index += 1;
  }
  scan.depth = depth;
  scan.index = index;
}

/** Looks at a string that may be the key; false when this text is better parsed in one go. */
function passTopLevelString(text: string, quoted: string, start: number, end: number, scan: Scan): boolean {
  const string = text.slice(start, end + 1);
  if (string.includes('\\')) return false;
  if (string !== quoted) return true;
  let index = skipBlanks(text, end + 1);
  if (text.charCodeAt(index) !== COLON) return true;
  index = skipBlanks(text, index + 1);
  if (scan.start >= 0 || text.charCodeAt(index) !== 0x5b) return false;
  scan.start = index + 1;
  return true;
}

function skipBlanks(text: string, from: number): number {
  let index = from;
  while (index < text.length && text.charCodeAt(index) <= 0x20) index += 1;
  return index;
}

/** Place of the quote that ends the string beginning at `start`; the end of the text when there is none. */
function endOfString(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
  } while (isEscaped(text, end));
  return end;
}

function isEscaped(text: string, quote: number): boolean {
  let index = quote - 1;
  while (text.charCodeAt(index) === BACKSLASH) index -= 1;
  return (quote - 1 - index) % 2 === 1;
}
