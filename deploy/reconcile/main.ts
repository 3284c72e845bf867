import { parseArgs } from 'node:util';
import { routeTable } from '@tributary/gateway/route-table.gen.ts';
import { servicesOf } from '@tributary/gateway/route-table.ts';
import { readAddresses } from './addresses.ts';
import { askAll } from './ask.ts';
import { isInOrder, tableOf } from './table.ts';

/**
 * `npm run reconcile`: asks every service whether its books are in order and prints what it finds; ends with 1 when
 * something does not add up, or when a service cannot say.
 *
 *   --days 7      looks only at what was recorded since, where looking at everything would take long
 *   --seconds 60  gives each service's database more time; 20 unless told otherwise
 *   --before 2026-01-31T12:00:00Z  what happened before it must have arrived; a minute ago unless told otherwise
 *   --json        prints the services' reports as they are
 */
const { values } = parseArgs({
  options: {
    days: { type: 'string' },
    seconds: { type: 'string', default: '20' },
    before: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

/** What is younger may still be on its way. */
const SETTLING_MS = 60_000;

try {
  const addresses = readAddresses(process.env, servicesOf(routeTable));
  const answers = await askAll(addresses, {
    before: values.before === undefined ? new Date(Date.now() - SETTLING_MS) : new Date(values.before),
    seconds: Number(values.seconds),
    days: values.days === undefined ? undefined : Number(values.days),
  });
  console.log(values.json ? JSON.stringify(answers, null, 2) : tableOf(answers).join('\n'));
  process.exitCode = isInOrder(answers) ? 0 : 1;
} catch (error) {
  console.error(`tributary: ${(error as Error).message}`);
  process.exitCode = 1;
}
