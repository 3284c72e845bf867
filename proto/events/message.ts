import { z } from 'zod';
import { newId } from '../id.ts';
import { EMAIL_TYPE, EmailCommand } from './emails.ts';
import { RecordId } from './fields.ts';
import {
  familyOf,
  labelOf,
  type SystemEvent,
  type SystemEventMetadata,
  type SystemEventName,
  subjectOf,
  systemEventSchemas,
} from './system-events.ts';
import { TOKEN_REVOKED_TYPE, TokenRevocation } from './tokens.ts';
import {
  emailsTopic,
  eventTopics,
  type StateResource,
  stateTopics,
  tokensTopic,
  webhooksTopic,
} from './topics.ts';
import { type WebhookEventType, WebhookEventValue } from './webhook-events.ts';

/** What a service puts into its outbox, in the transaction of the change it tells of. */
export interface OutgoingMessage<V extends object = object> {
  /** CloudEvents id, UUIDv4: the same on every delivery, so that readers can drop repeats. */
  readonly id: string;
  readonly topic: string;
  readonly key: string;
  /** CloudEvents type. */
  readonly type: string;
  /** Id of the record it is about. */
  readonly subject: string | null;
  readonly organization_id?: string;
  /** Plain JSON; null removes the key from a compacted topic. */
  readonly value: V | null;
}

/** Who and when of a system event. Only a checkout may happen before there is a customer. */
export interface SystemEventContext<N extends SystemEventName = SystemEventName> {
  readonly organization_id: string;
  readonly customer_id: N extends 'checkout.created' ? string | null : string;
  readonly external_customer_id: string | null;
  readonly member_id?: string | null;
  readonly external_member_id?: string | null;
  readonly timestamp: Date;
}

/**
 * A system event for its family's topic, keyed by customer, or by checkout while there is no customer.
 * @param metadata unknown keys are dropped; a key whose value is undefined is left out
 * @param id the event's own id, under which it can be read over HTTP
 * @throws TypeError when the context or the metadata does not fit the contract
 */
export function systemEvent<N extends SystemEventName>(
  name: N,
  context: SystemEventContext<N>,
  metadata: SystemEventMetadata<N>,
  id: string = newId(),
): OutgoingMessage<SystemEvent<N>> {
  const { timestamp, organization_id, customer_id, external_customer_id, member_id, external_member_id } =
    context;
  const value = valid(`${name} event`, systemEventSchemas[name], {
    id,
    timestamp: timestamp.toISOString(),
    organization_id,
    customer_id,
    external_customer_id,
    member_id,
    external_member_id,
    name,
    source: 'system',
    label: labelOf(name),
    metadata,
  });
  const subject = subjectOf(name, metadata);
  if (customer_id === null && name !== 'checkout.created') throw new TypeError(`${name} needs a customer`);
  return {
    id,
    topic: eventTopics[familyOf(name)].name,
    key: customer_id ?? subject,
    type: name,
    subject,
    organization_id,
    value,
  };
}

/**
 * The new state of a record, for other services' copies.
 * @param presented the record as the owner's HTTP API presents it, plain JSON
 * @throws TypeError when `id` is not the record's
 */
export function stateChanged<V extends { readonly id: string }>(
  resource: StateResource,
  id: string,
  presented: V,
  messageId: string = newId(),
): OutgoingMessage<V> {
  if (presented.id !== id) throw new TypeError(`state of ${resource} ${id} presents ${presented.id}`);
  return { ...stateMessage(resource, id, messageId), type: `${resource}.changed`, value: presented };
}

/** The record is gone: its key leaves the compacted topic, its copies are emptied. */
export function stateDeleted(
  resource: StateResource,
  id: string,
  messageId: string = newId(),
): OutgoingMessage<never> {
  return { ...stateMessage(resource, id, messageId), type: `${resource}.deleted`, value: null };
}

/**
 * A webhook event of one organization, keyed by it so that its endpoints hear in order.
 * @param data the record as the owner's HTTP API presents it, plain JSON
 * @param timestamp when it happened
 * @throws TypeError when the organization's id is not one
 */
export function webhookEvent(
  type: WebhookEventType,
  organization_id: string,
  data: object,
  timestamp: Date,
  id: string = newId(),
): OutgoingMessage<WebhookEventValue> {
  const value = valid(`${type} webhook`, WebhookEventValue, {
    organization_id,
    type,
    timestamp: timestamp.toISOString(),
    data,
  });
  const subject = typeof value.data.id === 'string' ? value.data.id : null;
  return {
    id: valid('message id', RecordId, id),
    topic: webhooksTopic.name,
    key: organization_id,
    type,
    subject,
    organization_id,
    value,
  };
}

/**
 * An order to send one mail, keyed by the recipient so that one person's mails keep their order.
 * @throws TypeError when address or template name is malformed
 */
export function emailCommand(command: EmailCommand, id: string = newId()): OutgoingMessage<EmailCommand> {
  const value = valid('mail', EmailCommand, command);
  return {
    id: valid('message id', RecordId, id),
    topic: emailsTopic.name,
    key: value.to.toLowerCase(),
    type: EMAIL_TYPE,
    subject: null,
    ...(value.organization_id === null ? {} : { organization_id: value.organization_id }),
    value,
  };
}

/**
 * A token is no longer good: whoever keeps an answer about it drops that.
 * @param tokenId `token_id` of its principal; never the token
 * @throws TypeError when the id is empty or longer than 128 characters
 */
export function tokenRevoked(tokenId: string, id: string = newId()): OutgoingMessage<TokenRevocation> {
  return {
    id: valid('message id', RecordId, id),
    topic: tokensTopic.name,
    key: tokenId,
    type: TOKEN_REVOKED_TYPE,
    subject: null,
    value: valid('token revocation', TokenRevocation, { token_id: tokenId }),
  };
}

function stateMessage(resource: StateResource, id: string, messageId: string) {
  return {
    id: valid('message id', RecordId, messageId),
    topic: stateTopics[resource].name,
    key: valid(`id of ${resource}`, RecordId, id),
    subject: id,
  };
}

/** A message that does not fit is a mistake of the code that made it, so it is no request's validation error. */
function valid<T>(what: string, schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new TypeError(`invalid ${what}: ${z.prettifyError(result.error)}`);
}
