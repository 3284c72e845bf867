import type { Part } from '@tributary/runtime/reconciliation/books.ts';
import { noneOf } from '@tributary/runtime/reconciliation/parts.ts';

/** A license key hangs on its grant; the database itself refuses a second key of one grant. */
export const licenseKeyParts: readonly Part[] = [
  noneOf(
    'license keys: missing for a grant',
    `select held.id from span, benefit_grants held join benefits benefit on benefit.id = held.benefit_id
     where benefit.type = 'license_keys' and held.granted_at is not null and held.created_at >= span.since
       and not exists (select from license_keys where benefit_grant_id = held.id)`,
  ),
  /** A disabled key stays disabled, whatever becomes of its grant. */
  noneOf(
    'license keys: not as their grant',
    `select key.id from span, license_keys key join benefit_grants held on held.id = key.benefit_grant_id
     where key.created_at >= span.since and (
       (key.status <> 'disabled' and (key.status = 'granted') <> (held.granted_at is not null))
       or key.customer_id <> held.customer_id or key.benefit_id <> held.benefit_id
       or held.properties ->> 'license_key_id' is distinct from key.id::text)`,
  ),
];
