import type { Database } from '../db/transaction.ts';
import type { Logger } from '../log.ts';
import type { Transport } from '../messaging/message.ts';
import { type Books, type BooksOptions, type Part, withBooks } from './books.ts';
import { readInboxLag } from './inbox-lag.ts';
import { outboxPart, parkedPart } from './messages.ts';
import { type Findings, type Report, unknown } from './report.ts';

/** A part that takes long leaves as much time as it takes for those after it. */
const MAX_SHARE = 0.5;

export interface ReportSource {
  service: string;
  db: Database;
  transport: Transport;
  /** Topics of the service's consumers. */
  topics: readonly string[];
  /** What the service knows of its own books. */
  parts: readonly Part[];
  log: Logger;
}

/**
 * Compares what a service has in one way with what it has in another. Reads only; a part that fails or runs out of
 * time says so in its place and leaves the others alone.
 */
export async function takeReport(source: ReportSource, options: BooksOptions): Promise<Report> {
  const startedAt = performance.now();
  const { service, db, transport, topics, parts } = source;
  const lag = await readInboxLag(transport, { group: service, topics }, options.before);
  const rest = await withBooks(db, options, async (books) => {
    const findings: Findings[] = [];
    for (const part of [outboxPart, parkedPart, ...parts]) findings.push(await readPart(part, books, source));
    return findings;
  });
  const all = [lag, ...rest];
  const checks = all.flatMap((found) => found.checks ?? []);
  return {
    service,
    before: options.before.toISOString(),
    took_ms: Math.round(performance.now() - startedAt),
    ok: checks.every((check) => check.ok),
    checks,
    figures: all.flatMap((found) => found.figures ?? []),
    records: all.flatMap((found) => found.records ?? []),
  };
}

async function readPart(part: Part, books: Books, { log, service }: ReportSource): Promise<Findings> {
  const failed = (why: string) => ({ checks: [unknown(part.name, why)] });
  if (books.leftMs() === 0) return failed('no time was left');
  try {
    return (
      (await books.attempt(MAX_SHARE, () => part.read(books))) ??
      failed('took too long: give it more seconds or fewer days')
    );
  } catch (error) {
    log.error({ err: error, service, part: part.name }, 'reconciliation failed');
    return failed('failed; see the log');
  }
}
