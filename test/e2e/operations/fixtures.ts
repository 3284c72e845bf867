import { hash, randomBytes } from 'node:crypto';
import { newId } from '@tributary/proto/id.ts';
import { eventually } from '@tributary/runtime/testing/eventually.ts';
import { type Api, expectStatus } from '../../story/api.ts';

// biome-ignore lint/suspicious/noExplicitAny: samples have every shape
type Json = any;

/** Sample data of a merchant, made through the API as an integrator would. */

export const address = {
  country: 'US',
  state: 'US-NY',
  line1: '1 Main St',
  line2: 'Floor 2',
  city: 'New York',
  postal_code: '10001',
};

export const fixed = (price_amount: number) => ({
  amount_type: 'fixed',
  price_amount,
  price_currency: 'usd',
});
export const perSeat = (price_per_seat: number) => ({
  amount_type: 'seat_based',
  price_currency: 'usd',
  seat_tiers: { tiers: [{ min_seats: 1, max_seats: null, price_per_seat }] },
});

/** A text of 32 random letters, which every collation sorts the same. */
export const word = () =>
  randomBytes(16)
    .toString('hex')
    .replaceAll(/\d/g, (digit) => 'ghijklmnop'[Number(digit)]!);

export async function makeProduct(merchant: Api, given: object = {}, benefits: string[] = []): Promise<Json> {
  const body = { name: `Product ${word().slice(0, 8)}`, prices: [fixed(1_000)], ...given };
  const product = expectStatus(await merchant.post('/v1/products/', body), 201);
  if (benefits.length === 0) return product;
  return expectStatus(await merchant.post(`/v1/products/${product.id}/benefits`, { benefits }), 200);
}

export const monthly = { recurring_interval: 'month' };

export const makeBenefit = async (merchant: Api, given: object = {}): Promise<Json> =>
  expectStatus(
    await merchant.post('/v1/benefits/', {
      type: 'custom',
      description: 'Priority support',
      properties: { note: 'Write to us.' },
      ...given,
    }),
    201,
  );

export const makeKeyBenefit = (merchant: Api, properties: object = {}): Promise<Json> =>
  makeBenefit(merchant, { type: 'license_keys', description: 'Desktop license', properties });

export const makeCustomer = async (merchant: Api, given: object = {}): Promise<Json> => {
  const email = `${word().slice(0, 12)}@example.com`;
  return expectStatus(await merchant.post('/v1/customers/', { email, name: 'Ada', ...given }), 201);
};

/** A team with its owner, who is its only member. */
export async function makeTeam(merchant: Api, given: object = {}) {
  const owner = { email: `${word().slice(0, 12)}@example.com`, name: 'Owner' };
  const customer = await makeCustomer(merchant, { type: 'team', name: 'Team', owner, ...given });
  const [member] = expectStatus(await merchant.get(`/v1/members/?customer_id=${customer.id}`), 200).items;
  return { customer, member };
}

export const sessionOf = async (merchant: Api, customer_id: string, member_id?: string): Promise<string> =>
  expectStatus(await merchant.post('/v1/customer-sessions/', { customer_id, member_id }), 201).token;

/**
 * Makes an organization of the caller's.
 * @param owner with a personal access token
 */
export const makeOrganization = async (owner: Api, given: object = {}): Promise<Json> =>
  expectStatus(
    await owner.post('/v1/organizations/', {
      name: 'Another',
      slug: `another-${word().slice(0, 12)}`,
      ...given,
    }),
    201,
  );

/** An organization without members, whose customers have customer sessions. */
export const makePlainOrganization = (owner: Api): Promise<Json> =>
  makeOrganization(owner, {
    feature_settings: { seat_based_pricing_enabled: false, member_model_enabled: false },
  });

export interface Purchase {
  checkout: Json;
  customer: Json;
  order: Json;
  subscription: Json | null;
}

/** Opens a checkout of a product, pays it as a buyer and waits until it is fulfilled. */
export async function buy(merchant: Api, product: { id: string }, given: object = {}): Promise<Purchase> {
  const { confirmation_token_id = 'tok_visa', ...session } = given as { confirmation_token_id?: string };
  const opened = expectStatus(
    await merchant.post('/v1/checkouts/', {
      products: [product.id],
      customer_name: 'Ada Buyer',
      customer_email: `${word().slice(0, 12)}@example.com`,
      customer_billing_address: address,
      ...session,
    }),
    201,
  );
  const path = `/v1/checkouts/client/${opened.client_secret}/confirm`;
  expectStatus(
    await merchant.as(undefined).post(path, opened.is_payment_form_required ? { confirmation_token_id } : {}),
    200,
  );
  const checkout = await eventually(async () => {
    const body = expectStatus(await merchant.get(`/v1/checkouts/${opened.id}`), 200);
    expect(body.status).toBe('succeeded');
    return body;
  });
  const [order] = expectStatus(await merchant.get(`/v1/orders/?checkout_id=${checkout.id}`), 200).items;
  const customer = expectStatus(await merchant.get(`/v1/customers/${checkout.customer_id}`), 200);
  const subscription = order.subscription_id
    ? expectStatus(await merchant.get(`/v1/subscriptions/${order.subscription_id}`), 200)
    : null;
  return { checkout, customer, order, subscription };
}

/** The grants a customer has, once there are as many as expected. */
export const grantsOf = (merchant: Api, customerId: string, count: number): Promise<Json[]> =>
  eventually(async () => {
    const { items } = expectStatus(await merchant.get(`/v1/benefit-grants/?customer_id=${customerId}`), 200);
    expect(items).toHaveLength(count);
    return items;
  });

/** The one license key of a benefit's one holder. */
export const keyOf = (merchant: Api, benefitId: string): Promise<Json> =>
  eventually(async () => {
    const { items } = expectStatus(await merchant.get(`/v1/license-keys/?benefit_id=${benefitId}`), 200);
    expect(items).toHaveLength(1);
    return items[0];
  });

/** Uploads a file of one part. */
export async function uploadFile(merchant: Api, given: object = {}): Promise<Json> {
  const bytes = Buffer.from(`content of ${newId()}`);
  const checksum_sha256_base64 = hash('sha256', bytes, 'base64');
  const { upload, id } = await beginUpload(merchant, bytes.length, checksum_sha256_base64, given);
  const [{ url, headers, number }] = upload.parts;
  const sent = await fetch(url, { method: 'PUT', headers, body: bytes });
  expect(sent.status).toBe(200);
  const parts = [{ number, checksum_etag: sent.headers.get('etag'), checksum_sha256_base64: null }];
  return expectStatus(
    await merchant.post(`/v1/files/${id}/uploaded`, { id: upload.id, path: upload.path, parts }),
    200,
  );
}

export const beginUpload = async (
  merchant: Api,
  size: number,
  checksum_sha256_base64: string | null,
  given: object = {},
): Promise<Json> =>
  expectStatus(
    await merchant.post('/v1/files/', {
      service: 'downloadable',
      name: 'notes.txt',
      mime_type: 'text/plain',
      size,
      checksum_sha256_base64,
      upload: { parts: [{ number: 1, chunk_start: 0, chunk_end: size }] },
      ...given,
    }),
    201,
  );
