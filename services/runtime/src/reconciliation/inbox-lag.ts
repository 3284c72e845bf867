import { within } from '../deadline.ts';
import type { Backlog, Transport } from '../messaging/message.ts';
import { type Findings, none, unknown } from './report.ts';

const TIMEOUT_MS = 10_000;
const OVERDUE = 'inbox: messages overdue';

/**
 * What the service's consumers have not handled yet. A transport within the process has no backlog of its own: a
 * message is in the outbox until every consumer has committed.
 */
export async function readInboxLag(
  transport: Transport,
  subscription: { group: string; topics: readonly string[] },
  before: Date,
): Promise<Findings> {
  if (!transport.backlog) return {};
  try {
    const late = () => undefined;
    const backlog = await within(TIMEOUT_MS, transport.backlog(subscription, before), late);
    return backlog
      ? findingsOf(backlog)
      : { checks: [unknown(OVERDUE, 'the broker did not answer in time')] };
  } catch {
    return { checks: [unknown(OVERDUE, 'the broker cannot be asked')] };
  }
}

function findingsOf(backlog: readonly Backlog[]): Findings {
  const sum = (count: (topic: Backlog) => bigint) =>
    backlog.reduce((total, topic) => total + count(topic), 0n);
  const late = backlog.filter(({ overdue }) => overdue > 0n);
  return {
    checks: [
      none(
        OVERDUE,
        sum(({ overdue }) => overdue),
        late.map(({ topic, overdue }) => `${overdue} × ${topic}`),
      ),
    ],
    figures: [
      { name: 'inbox: messages waiting', value: String(sum(({ waiting }) => waiting)) },
      ...backlog
        .filter(({ waiting }) => waiting > 0n)
        .map(({ topic, waiting }) => ({ name: `inbox: waiting in ${topic}`, value: String(waiting) })),
    ],
  };
}
