import { createRequire, syncBuiltinESMExports } from 'node:module';
import { type Context, context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { NodeSDK } from '@opentelemetry/sdk-node';
import type { SpanRole, Tracing } from './telemetry.ts';

const KINDS: Record<SpanRole, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};
/** Bounds the retries too, and so how long a stop waits for a collector that is gone. */
const EXPORT_TIMEOUT_MS = 3_000;
const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

/** Starts the OpenTelemetry SDK; loaded by `startTelemetry` only, because it is large. */
export function startTracing(service: string, endpoint: string): Tracing {
  const sdk = new NodeSDK({
    serviceName: service,
    traceExporter: new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: EXPORT_TIMEOUT_MS }),
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [
      new HttpInstrumentation({ ignoreIncomingRequestHook: (request) => PROBES.has(request.url ?? '') }),
      new PgInstrumentation({ requireParentSpan: true }),
    ],
  });
  sdk.start();
  patchLoadedModules();
  const tracer = trace.getTracer('tributary');
  return {
    currentTraceparent() {
      const current = trace.getActiveSpan()?.spanContext();
      if (current === undefined || !trace.isSpanContextValid(current)) return null;
      return `00-${current.traceId}-${current.spanId}-${current.traceFlags.toString(16).padStart(2, '0')}`;
    },
    inSpan(name, work, { role = 'internal', traceparent }) {
      const parent = traceparent ? contextOf(traceparent) : context.active();
      return tracer.startActiveSpan(name, { kind: KINDS[role] }, parent, async (span) => {
        try {
          return await work();
        } catch (error) {
          span.recordException(error as Error);
          span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      });
    },
    stop: () => sdk.shutdown(),
  };
}

/**
 * Instrumentation takes hold of a module when it is required. Ours were imported before, so they are required once
 * more here, and the named imports of built-in modules are pointed at the patched functions.
 */
function patchLoadedModules(): void {
  const require = createRequire(import.meta.url);
  for (const name of ['node:http', 'node:https', 'pg']) require(name);
  syncBuiltinESMExports();
}

const TRACEPARENT = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/;

/** The context a `traceparent` stands for; a malformed one starts a trace of its own (W3C Trace Context, 3.2). */
function contextOf(traceparent: string): Context {
  const parts = TRACEPARENT.exec(traceparent);
  if (parts === null) return ROOT_CONTEXT;
  const [, traceId, spanId, flags] = parts as unknown as [string, string, string, string];
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
  });
}
