import type { Running } from './shutdown.ts';

/** What a span does for its trace (OpenTelemetry span kinds). */
export type SpanRole = 'server' | 'client' | 'producer' | 'consumer' | 'internal';

export interface SpanOptions {
  role?: SpanRole;
  /** W3C `traceparent` of the work this continues, as a message or a call brought it; else the current span's. */
  traceparent?: string | null;
}

/** What `telemetry-sdk.ts` supplies once tracing is on. */
export interface Tracing extends Running {
  currentTraceparent(): string | null;
  inSpan<T>(name: string, work: () => Promise<T>, options: SpanOptions): Promise<T>;
}

let tracing: Tracing | undefined;

/**
 * Turns tracing on for the whole process and sends spans over OTLP/HTTP to `endpoint`. Without an endpoint nothing is
 * loaded and nothing costs anything. Call it before anything else is started; stop it last, it sends what is left.
 */
export async function startTelemetry(service: string, endpoint: string | undefined): Promise<Running> {
  if (endpoint === undefined || tracing !== undefined) return { stop: async () => undefined };
  const { startTracing } = await import('./telemetry-sdk.ts');
  const started = startTracing(service, endpoint);
  tracing = started;
  return {
    async stop() {
      tracing = undefined;
      await started.stop();
    },
  };
}

/** W3C `traceparent` of the work being done, for the headers of what it sends; null when tracing is off. */
export const currentTraceparent = (): string | null => tracing?.currentTraceparent() ?? null;

/** Runs `work` in a span, marked as failed if it rejects; just runs it when tracing is off. */
export const inSpan = <T>(name: string, work: () => Promise<T>, options: SpanOptions = {}): Promise<T> =>
  tracing === undefined ? work() : tracing.inSpan(name, work, options);
