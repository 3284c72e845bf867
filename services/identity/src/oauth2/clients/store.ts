import { tokenRevoked } from '@tributary/proto/events/message.ts';
import { boolean, nullable, recorded, text, textArray, uuid } from '@tributary/runtime/db/columns.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import { EntitySchema } from 'typeorm';
import type { Client } from './client.ts';

export const ClientEntity = new EntitySchema<Client>({
  name: 'oauth2_clients',
  columns: {
    ...recorded,
    client_id: text,
    client_secret_hash: nullable(text),
    registration_token_hash: text,
    user_id: nullable(uuid),
    is_first_party: boolean,
    client_name: text,
    client_uri: nullable(text),
    logo_uri: nullable(text),
    tos_uri: nullable(text),
    policy_uri: nullable(text),
    redirect_uris: textArray,
    token_endpoint_auth_method: text,
    grant_types: textArray,
    response_types: textArray,
    scopes: textArray,
    default_sub_type: text,
  },
});

export const findClient = (db: Reader, clientId: string): Promise<Client | null> =>
  db.getRepository(ClientEntity).findOneBy({ client_id: clientId });

export async function insertClient(tx: Reader, client: Client): Promise<void> {
  await tx.getRepository(ClientEntity).insert(client);
}

/** The client, locked for a change. */
export const lockClient = (tx: Tx, clientId: string): Promise<Client | null> =>
  tx
    .getRepository(ClientEntity)
    .findOne({ where: { client_id: clientId }, lock: { mode: 'pessimistic_write' } });

export async function saveClient(tx: Tx, client: Client): Promise<void> {
  await tx.getRepository(ClientEntity).update({ id: client.id }, client);
}

/** Deletes the clients of a user that carry a name, with everything they were granted. */
export async function deleteClientsOf(tx: Tx, userId: string, name: string): Promise<void> {
  const clients = await tx.getRepository(ClientEntity).findBy({ user_id: userId, client_name: name });
  for (const client of clients) await deleteClient(tx, client);
}

/** Deletes a client; its tokens go with it, and whoever keeps answers about them is told. */
export async function deleteClient(tx: Tx, client: Client): Promise<void> {
  const live: { id: string }[] = await tx.query(
    `select t.id from oauth2_authorizations a join oauth2_access_tokens t on t.authorization_id = a.id
     where a.client_id = $1 and t.revoked_at is null and t.expires_at > now()`,
    [client.client_id],
  );
  await tx.getRepository(ClientEntity).delete({ id: client.id });
  await emit(
    tx,
    live.map((row) => tokenRevoked(row.id)),
  );
}
