import { hash, randomInt } from 'node:crypto';
import { ANONYMIZED_KEY, isAnonymized } from '@tributary/proto/anonymized.ts';
import { newId } from '@tributary/proto/id.ts';
import type { Recorded } from '@tributary/runtime/db/columns.ts';
import { invalid } from '@tributary/runtime/http/problem.ts';
import type { Metadata } from '@tributary/runtime/http/wire.ts';
import { type Address, type AddressInput, normalizeAddress } from '../addresses/address.ts';
import { readTaxId, type TaxId } from '../addresses/tax-id.ts';

export const customerTypes = ['individual', 'team'] as const;
export type CustomerType = (typeof customerTypes)[number];

/** Who buys from an organization. */
export interface Customer extends Recorded {
  organization_id: string;
  deleted_at: Date | null;
  metadata: Metadata;
  external_id: string | null;
  email: string | null;
  email_verified: boolean;
  type: CustomerType;
  name: string | null;
  /** Null while invoices carry `name`. */
  billing_name: string | null;
  billing_address: Address | null;
  tax_id: TaxId | null;
  locale: string | null;
  default_payment_method_id: string | null;
  first_user_event_at: Date | null;
  /** Letters that stand for the customer in the numbers of invoices and receipts. */
  short_code: string;
  invoice_count: number;
  receipt_count: number;
}

export interface NewCustomer {
  type?: CustomerType;
  email?: string | null;
  name?: string | null;
  external_id?: string | null;
  metadata?: Metadata;
  billing_address?: AddressInput | null;
  tax_id?: string | null;
  locale?: string | null;
}

export interface CustomerChange extends NewCustomer {
  billing_name?: string | null;
  default_payment_method_id?: string;
}

const SHORT_CODE_LENGTH = 8;
const LETTERS = 26;
const A = 65;

const shortCode = (): string =>
  Array.from({ length: SHORT_CODE_LENGTH }, () => String.fromCharCode(A + randomInt(LETTERS))).join('');

export function newCustomer(organizationId: string, input: NewCustomer, now: Date): Customer {
  const billing_address = input.billing_address
    ? normalizeAddress(input.billing_address, ['body', 'billing_address'])
    : null;
  return {
    id: newId(),
    created_at: now,
    modified_at: null,
    deleted_at: null,
    organization_id: organizationId,
    metadata: input.metadata ?? {},
    external_id: input.external_id ?? null,
    email: input.email ?? null,
    email_verified: false,
    type: input.type ?? 'individual',
    name: input.name ?? null,
    billing_name: null,
    billing_address,
    tax_id: taxIdOf(input.tax_id, billing_address),
    locale: input.locale ?? null,
    default_payment_method_id: null,
    first_user_event_at: null,
    short_code: shortCode(),
    invoice_count: 0,
    receipt_count: 0,
  };
}

const taxIdOf = (text: string | null | undefined, address: Address | null): TaxId | null =>
  text ? readTaxId(text, address?.country, ['body', 'tax_id']) : null;

/** Applies the keys that were sent (domain rules 7.1); what cannot be is a 422 at its key. */
export function changeCustomer(customer: Customer, change: CustomerChange, now: Date): Customer {
  const billing_address = changedAddress(customer, change);
  const email = changedEmail(customer, change);
  return {
    ...customer,
    modified_at: now,
    email,
    email_verified: sameEmail(email, customer.email) ? customer.email_verified : false,
    type: changedType(customer, change),
    external_id: changedExternalId(customer, change),
    billing_address,
    tax_id: change.tax_id === undefined ? customer.tax_id : taxIdOf(change.tax_id, billing_address),
    name: change.name === undefined ? customer.name : change.name,
    billing_name: change.billing_name === undefined ? customer.billing_name : change.billing_name || null,
    locale: change.locale === undefined ? customer.locale : change.locale,
    metadata: change.metadata ?? customer.metadata,
    default_payment_method_id: change.default_payment_method_id ?? customer.default_payment_method_id,
  };
}

function changedAddress(customer: Customer, { billing_address }: CustomerChange): Address | null {
  if (billing_address === undefined) return customer.billing_address;
  if (billing_address !== null) return normalizeAddress(billing_address, ['body', 'billing_address']);
  if (customer.billing_address === null) return null;
  throw invalid(['body', 'billing_address'], 'Billing address cannot be reset to null once set.');
}

function changedEmail(customer: Customer, { email, type }: CustomerChange): string | null {
  if (email === undefined) return customer.email;
  if (email === null && (type ?? customer.type) === 'individual') {
    throw invalid(['body', 'email'], 'An individual customer needs an email address.');
  }
  return email;
}

function changedType(customer: Customer, { type }: CustomerChange): CustomerType {
  if (type == null) return customer.type;
  if (customer.type === 'team' && type === 'individual') {
    throw invalid(['body', 'type'], 'A team customer cannot become an individual one.', 'value_error', type);
  }
  return type;
}

function changedExternalId(customer: Customer, { external_id }: CustomerChange): string | null {
  if (external_id === undefined || external_id === customer.external_id) return customer.external_id;
  if (customer.external_id === null) return external_id;
  throw invalid(
    ['body', 'external_id'],
    'Customer external ID cannot be updated.',
    'value_error',
    external_id,
  );
}

/** E-mail addresses are compared without regard to case. */
export const sameEmail = (one: string | null, other: string | null): boolean =>
  one?.toLowerCase() === other?.toLowerCase();

/** Where a deleted customer's external id stays readable. */
export const EXTERNAL_ID_KEY = '__external_id';

/** The customer is gone: its e-mail and external id are free again. What its metadata note of that is noted here alone. */
export function deleteCustomer(customer: Customer, now: Date): Customer {
  const { [EXTERNAL_ID_KEY]: _named, [ANONYMIZED_KEY]: _noted, ...metadata } = customer.metadata;
  const released: Metadata = customer.external_id === null ? {} : { [EXTERNAL_ID_KEY]: customer.external_id };
  return {
    ...customer,
    deleted_at: customer.deleted_at ?? now,
    modified_at: now,
    external_id: null,
    metadata: { ...metadata, ...released },
  };
}

/**
 * Takes the person out of the record, once. The name of a business (a customer with a tax number) stays: it is no
 * person's, and invoices need it.
 */
export function anonymizeCustomer(customer: Customer, now: Date): Customer {
  if (isAnonymized(customer)) return customer;
  return {
    ...customer,
    modified_at: now,
    email: customer.email && anonymousEmail(customer.email),
    email_verified: false,
    name: customer.tax_id ? customer.name : anonymousName(customer.name),
    billing_name: anonymousName(customer.billing_name ?? customer.name),
    billing_address: null,
    metadata: { ...customer.metadata, [ANONYMIZED_KEY]: now.toISOString() },
  };
}

/** Where nobody can be written to (RFC 2606). */
export const PLACEHOLDER_DOMAIN = 'anonymized.invalid';
const digest = (value: string) => hash('sha256', value, 'hex');

export const anonymousEmail = (email: string): string =>
  `${digest(email.toLowerCase())}@${PLACEHOLDER_DOMAIN}`;
export const anonymousName = (name: string | null): string | null => name && digest(name);

/** A picture for the e-mail address, by the rules of gravatar.com (https://docs.gravatar.com/api/avatars/hash/). */
export const avatarUrl = (email: string | null): string | null =>
  email && `https://www.gravatar.com/avatar/${digest(email.trim().toLowerCase())}?d=404`;
