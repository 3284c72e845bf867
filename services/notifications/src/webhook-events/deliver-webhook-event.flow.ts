import { emailCommand } from '@tributary/proto/events/message.ts';
import { newId } from '@tributary/proto/id.ts';
import { inTransaction, type Tx } from '@tributary/runtime/db/transaction.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import type { App, OrganizationCopy } from '../app.ts';
import { webhookBackoff } from '../backoff.ts';
import type { Claimed } from '../dispatcher.ts';
import { countWebhookAttempt } from '../metrics.ts';
import { insertWebhookDelivery } from '../webhook-deliveries/store.ts';
import { lockWebhookEndpoint, saveWebhookEndpoint } from '../webhook-endpoints/store.ts';
import { afterEvent, type WebhookEndpoint } from '../webhook-endpoints/webhook-endpoint.ts';
import { Interrupted, postWebhook } from './post-webhook.ts';
import {
  claimDueEvents,
  type Dispatch,
  findDispatches,
  hurryNextEvent,
  releaseClaim,
} from './queue-store.ts';
import { signedHeaders } from './signature.ts';
import { lockClaimedEvent, saveWebhookEvent, skipPendingEvents } from './store.ts';
import { afterAttempt, isSuccess, type Outcome } from './webhook-event.ts';

/** Claims due events whose turn it is; each must then be given to {@link deliverWebhookEvent}. */
export async function claimWebhookEvents({ db, clock }: App, limit: number): Promise<Claimed<Dispatch>> {
  const { ids, claimId, isMoreDue } = await claimDueEvents(db, clock.now(), limit);
  return { items: await findDispatches(db, ids, claimId), isMoreDue };
}

/**
 * Makes one attempt and records it. The request is made outside of any transaction: if the process dies during it the
 * claim runs out and the attempt is made again, with the same `webhook-id`.
 */
export async function deliverWebhookEvent(
  app: App,
  dispatch: Dispatch,
  stopping: AbortSignal = new AbortController().signal,
): Promise<void> {
  if (!dispatch.is_listening || dispatch.body === null) return skip(app, dispatch);
  const secret = app.vault.open(dispatch.sealed_secret, dispatch.endpoint_id);
  const headers = signedHeaders(secret, dispatch.id, app.clock.now(), dispatch.body);
  try {
    const post = { url: dispatch.url, headers, body: dispatch.body };
    const outcome = await postWebhook(post, app.outbound, stopping);
    countWebhookAttempt(isSuccess(outcome));
    await record(app, dispatch, outcome);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    await releaseClaim(app.db, dispatch.id, dispatch.claim_id, app.clock.now());
  }
}

/** The endpoint is off or gone, or the body was archived since: nothing is sent. */
const skip = ({ db, clock }: App, dispatch: Dispatch): Promise<void> =>
  inTransaction(db, async (tx) => {
    await lockWebhookEndpoint(tx, dispatch.endpoint_id);
    const event = await lockClaimedEvent(tx, dispatch.id, dispatch.claim_id);
    const now = clock.now();
    if (event) {
      await saveWebhookEvent(tx, { ...event, skipped: true, due_at: null, claim_id: null, modified_at: now });
      await hurryNextEvent(tx, dispatch.endpoint_id, now);
    }
  });

/** Endpoint before event is the order in which every writer locks. */
async function record(app: App, dispatch: Dispatch, outcome: Outcome): Promise<void> {
  const mayDisable = !isSuccess(outcome) && dispatch.failures + 1 >= webhookBackoff.attempts;
  const organization = mayDisable ? await organizationOf(app, dispatch.organization_id) : undefined;
  await inTransaction(app.db, async (tx) => {
    const now = app.clock.now();
    const endpoint = await lockWebhookEndpoint(tx, dispatch.endpoint_id);
    const event = await lockClaimedEvent(tx, dispatch.id, dispatch.claim_id);
    await insertWebhookDelivery(tx, {
      ...outcome,
      id: newId(),
      created_at: now,
      modified_at: null,
      organization_id: endpoint.organization_id,
      endpoint_id: endpoint.id,
      event_id: dispatch.id,
      type: dispatch.type,
      succeeded: isSuccess(outcome),
    });
    if (!event) return;
    const isListening = endpoint.enabled && endpoint.deleted_at === null;
    const tried = afterAttempt(event, outcome, isListening, now, app.random());
    await saveWebhookEvent(tx, tried);
    if (tried.succeeded !== null) await settleEndpoint(tx, app, endpoint, tried.succeeded, organization, now);
    if (tried.due_at === null) await hurryNextEvent(tx, endpoint.id, now);
  });
}

async function settleEndpoint(
  tx: Tx,
  app: App,
  endpoint: WebhookEndpoint,
  succeeded: boolean,
  organization: OrganizationCopy | undefined,
  now: Date,
): Promise<void> {
  const settled = afterEvent(endpoint, succeeded, now);
  if (settled === endpoint) return;
  await saveWebhookEndpoint(tx, settled);
  if (settled.enabled === endpoint.enabled) return;
  await skipPendingEvents(tx, endpoint.id, now);
  app.log.warn(
    { endpoint: endpoint.id, organization: endpoint.organization_id },
    'webhook endpoint disabled',
  );
  if (!organization?.email) return;
  await emit(tx, [
    emailCommand({
      organization_id: endpoint.organization_id,
      to: organization.email,
      template: 'webhook_endpoint_disabled',
      data: {
        organization_name: organization.name,
        endpoint_name: endpoint.name,
        endpoint_url: endpoint.url,
      },
    }),
  ]);
}

/** Whom to tell, read before the transaction; an owner out of reach must not hold up the delivery's record. */
async function organizationOf(
  { organizations, db, log }: App,
  id: string,
): Promise<OrganizationCopy | undefined> {
  try {
    return (await organizations.get(db, [id])).get(id);
  } catch (error) {
    log.warn({ err: error, organization: id }, 'cannot read the organization of a failing webhook endpoint');
    return undefined;
  }
}
