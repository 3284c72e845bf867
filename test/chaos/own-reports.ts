import { serviceNames } from '@tributary/embedded/service-names.ts';
import type { Report } from '@tributary/runtime/reconciliation/report.ts';
import type { ChaosPlatform } from './platform.ts';

/** Counted by us, who know which messages nobody can handle. */
const PARKED = 'inbox: messages parked';

/** What the services themselves find wrong with their books, all of it settled; one line each. */
export async function faultsInOwnReports({ processes }: ChaosPlatform): Promise<string[]> {
  const before = new Date().toISOString();
  const reports = await Promise.all(
    serviceNames.map(async (name) => {
      const url = `http://127.0.0.1:${processes[name].port}/internal/reconciliation?before=${before}`;
      const answer = await fetch(url);
      if (!answer.ok) throw new Error(`the report of ${name} answered ${answer.status}`);
      return (await answer.json()) as Report;
    }),
  );
  return reports.flatMap(({ service, checks }) =>
    checks
      .filter(({ name, ok }) => !ok && name !== PARKED)
      .map(
        ({ name, expected, found, detail = '' }) =>
          `${service} reports ${name}: ${found} instead of ${expected} ${detail}`,
      ),
  );
}
