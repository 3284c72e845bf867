import { AsyncLocalStorage } from 'node:async_hooks';
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogOptions {
  service: string;
  level: LogLevel;
  /** Where lines go; standard output unless told otherwise. */
  destination?: DestinationStream;
}

const context = new AsyncLocalStorage<{ requestId: string }>();

/**
 * The service's log: one JSON object a line, with the service's name and, inside `withRequestId`, the request's id.
 * Credentials are taken out of every line whatever field they are in.
 */
export function createLog({ service, level, destination }: LogOptions): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => context.getStore() ?? {},
      hooks: { streamWrite: redact },
    },
    destination ?? pino.destination({ fd: 1, sync: true }),
  );
}

/** Runs `work` such that every line logged in it, however deep, carries `requestId`. */
export const withRequestId = <T>(requestId: string, work: () => T): T => context.run({ requestId }, work);

/** Id of the request being handled, to be passed on to other services. */
export const currentRequestId = (): string | undefined => context.getStore()?.requestId;

const SECRET_FIELD =
  '(?:proxy-)?authorization|(?:set-)?cookie|code_verifier|[\\w-]{0,40}(?:password|secret|token)';
const TEXT = '"(?:[^"\\\\]|\\\\.)*"';

/** Each takes time linear in the length of the line, whatever the line holds. */
const CREDENTIALS: readonly [pattern: RegExp, replacement: string][] = [
  // text, or a list of texts, in a field whose name says what it is
  [new RegExp(`"(${SECRET_FIELD})":(?:${TEXT}|\\[(?:${TEXT},?)*\\])`, 'gi'), '"$1":"[redacted]"'],
  [/\b(bearer|basic) [\w.~+/=-]+/gi, '$1 [redacted]'],
  // our own opaque tokens (token.ts); the prefix stays, it tells the kind
  [/\b((?:[a-z]{1,12}_){1,3})[0-9A-Za-z]{43}\b/g, '$1[redacted]'],
  // JSON Web Tokens
  [/(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*/g, '[redacted]'],
  // passwords in connection addresses
  [/(:\/\/[^:/@\s"]*):[^@/\s"]+@/g, '$1:[redacted]@'],
];

/** The line without its credentials. */
export function redact(line: string): string {
  let safe = line;
  for (const [pattern, replacement] of CREDENTIALS) safe = safe.replaceAll(pattern, replacement);
  return safe;
}
