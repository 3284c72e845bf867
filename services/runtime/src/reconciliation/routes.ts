import express, { type Router } from 'express';
import { z } from 'zod';
import { queryNumber } from '../http/wire.ts';
import type { Report } from './report.ts';
import { type ReportSource, takeReport } from './take-report.ts';

const MAX_SECONDS = 120;
/** What is younger may still be on its way. */
const SETTLING_MS = 60_000;
const DAY_MS = 86_400_000;

const number = (fallback: number, least: number, most: number) =>
  queryNumber(z.number().min(least).max(most).default(fallback));

const Query = z.object({
  /** Time for the database's part of it. */
  seconds: number(20, 1, MAX_SECONDS),
  /** How far back to look where there is much to look at; everything when absent. */
  days: queryNumber(z.number().positive().max(36_500).optional()),
  /** Instant before which everything must have arrived, so that several services can be asked about the same one. */
  before: z.iso.datetime({ offset: true }).optional(),
});

/**
 * `GET /internal/reconciliation`: the service's report. It is no operation of the API: the gateway does not know it,
 * and like `/metrics` it is there for whoever reaches the service's own port. Callers that come while one is being
 * taken share it, so that asking often costs no more than asking once.
 */
export function reconciliation(source: ReportSource, now: () => Date): Router {
  let underWay: Promise<Report> | undefined;
  const router = express.Router();
  router.get('/internal/reconciliation', async (request, response) => {
    const query = Query.safeParse(request.query);
    if (!query.success) {
      response.status(422).json({ error: 'InvalidQuery', detail: z.prettifyError(query.error) });
      return;
    }
    const { seconds, days, before } = query.data;
    const options = {
      before: before ? new Date(before) : new Date(now().getTime() - SETTLING_MS),
      since: days === undefined ? null : new Date(now().getTime() - days * DAY_MS),
      budgetMs: seconds * 1000,
    };
    underWay ??= takeReport(source, options).finally(() => {
      underWay = undefined;
    });
    try {
      response.json(await underWay);
    } catch (error) {
      source.log.warn({ err: error }, 'no report could be taken');
      response.status(503).json({ error: 'Unavailable', detail: 'The database cannot be read now.' });
    }
  });
  return router;
}
