import type { ServiceName } from '@tributary/embedded/service-names.ts';
import type { ProcessName } from '../environment.ts';
import { type Waiter, whileWaiting } from '../table-lock.ts';
import { type Fault, inTurn, READY_MS } from './fault.ts';

interface Aim {
  /** Whose table is locked. */
  service: ServiceName;
  table: string;
  /** Who has come to write to it. */
  kind: Waiter['kind'];
  victim: ProcessName;
}

/** kill -9 at the moment when somebody waits to write; what the dead had asked of the database does not happen. */
const killWhileWriting =
  ({ service, table, kind, victim }: Aim): Fault =>
  async ({ platform: { processes, databaseUrls } }) => {
    await whileWaiting(databaseUrls[service], table, kind, async (waiters, query) => {
      await processes[victim].kill();
      // A database goes on with a statement whose client is gone. Had it not come yet, it would not.
      if (victim === service)
        await query('select pg_terminate_backend(pid) from unnest($1::integer[]) as dead(pid)', [
          waiters.map(({ pid }) => pid),
        ]);
    });
    await processes[victim].ready(READY_MS);
    return { kills: 1 };
  };

const repeatedly = (times: number, aim: Aim): Fault =>
  inTurn(Array.from({ length: times }, () => killWhileWriting(aim)));

/** Between the broker's acknowledgement and the delete of what was published: it is published again. */
export const killRelay = (service: ServiceName, times: number): Fault =>
  repeatedly(times, { service, table: 'outbox', kind: 'relay', victim: service });

/** Between the handling of a message and its commit: it is handled again. */
export const killConsumer = (service: ServiceName, table: string, times: number): Fault =>
  repeatedly(times, { service, table, kind: 'consumer', victim: service });

/** The service at the end of a request's transaction, before its commit: the client asks again. */
export const killMidRequest = (service: ServiceName, table: string, times: number): Fault =>
  repeatedly(times, { service, table, kind: 'request', victim: service });

/** The gateway while a service works for it: the work is done, its answer finds nobody, and the client asks again. */
export const killGatewayMidRequest = (service: ServiceName, table: string, times: number): Fault =>
  repeatedly(times, { service, table, kind: 'request', victim: 'gateway' });
