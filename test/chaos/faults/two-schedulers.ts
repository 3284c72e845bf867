import { setTimeout as pause } from 'node:timers/promises';
import { query } from '../databases.ts';
import type { Load } from '../load.ts';
import type { ChaosPlatform } from '../platform.ts';
import { type Fault, READY_MS } from './fault.ts';

/** Above the interval of the job, so that it is due in both processes the moment they go on. */
const HOLD_MS = 11_000;
const RENEWAL_MS = 60_000;
const MOST_DUE = 200;

/** Two processes find the same subscriptions due at the same moment: each is renewed once. */
export const twoSchedulers =
  (): Fault =>
  async ({ platform, load }) => {
    const schedulers = [platform.processes.commerce, await platform.double('commerce')] as const;
    const due = await endPeriods(platform, load);
    for (const scheduler of schedulers) scheduler.freeze();
    await pause(HOLD_MS);
    for (const scheduler of schedulers) scheduler.thaw();
    const left = await untilRenewed(platform, load);
    const exitCode = await platform.leave(schedulers[1]);
    await platform.ready(READY_MS);
    return {
      note: `${due} subscriptions due`,
      wrong: [
        ...(due === 0 ? ['there was no subscription to renew'] : []),
        ...(left === 0 ? [] : [`${left} subscriptions were not renewed`]),
        ...(exitCode === 0 ? [] : [`commerce ended with ${exitCode} after SIGTERM`]),
      ],
    };
  };

/** Puts subscriptions that were bought and granted meanwhile a month into the past; returns how many. */
async function endPeriods({ databaseUrls }: ChaosPlatform, { product, record }: Load): Promise<number> {
  const granted = await grantedSubscriptions(databaseUrls.catalog, product.id);
  const rows = await query(
    databaseUrls.commerce,
    `update subscriptions
     set current_period_end = current_period_start, current_period_start = current_period_start - interval '1 month'
     where id = any($1) and status = 'active'
     returning (select external_id from customers where customers.id = customer_id)`,
    [granted],
  );
  for (const { external_id } of rows) record.renewed.add(external_id);
  return rows.length;
}

/** A first period that ended before it was granted is none that can be: periods last a day at least. */
async function grantedSubscriptions(catalogUrl: string, productId: string): Promise<string[]> {
  for (const deadline = Date.now() + READY_MS; ; await pause(200)) {
    const rows = await query(
      catalogUrl,
      `select grants.subscription_id from benefit_grants grants
       join entitlements on entitlements.id = grants.entitlement_id and entitlements.product_id = $1
       where grants.subscription_id is not null
       group by grants.subscription_id having every(grants.granted_at is not null) limit $2`,
      [productId, MOST_DUE],
    );
    if (rows.length > 0 || Date.now() > deadline) return rows.map((row) => row.subscription_id);
  }
}

/** How many are still due when the time for all is up. */
async function untilRenewed({ databaseUrls }: ChaosPlatform, { product }: Load): Promise<number> {
  for (const deadline = Date.now() + RENEWAL_MS; ; await pause(200)) {
    const [{ left }] = await query(
      databaseUrls.commerce,
      `select count(*)::integer as left from subscriptions where product_id = $1 and current_period_end < now()`,
      [product.id],
    );
    if (left === 0 || Date.now() > deadline) return left;
  }
}
