import {
  Currency,
  Id,
  Int32,
  Metadata,
  MetadataInput,
  resourceShape,
  Timestamp,
} from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { Address, AddressInput } from '../addresses/schema.ts';
import { Email, ExternalId, Name } from '../customers/schema.ts';
import { CheckoutDiscount } from '../discounts/schema.ts';
import { CheckoutOrganization } from '../organizations/schema.ts';
import { PaymentProcessorShape } from '../payment-methods/schema.ts';
import { PresentmentCurrency, PricesGiven } from '../products/price-create-schema.ts';
import { AnyPrice, AttachedCustomField, CheckoutProduct, TrialInterval } from '../products/schema.ts';
import { fieldModes } from './buyer-fields.ts';
import { checkoutStatuses } from './checkout.ts';

export const CheckoutStatusShape = z
  .enum(checkoutStatuses as [string, ...string[]])
  .meta({ id: 'CheckoutStatus' });
const TaxBehavior = z.enum(['inclusive', 'exclusive']).meta({ id: 'TaxBehavior' });
const FieldModeShape = z.enum(fieldModes).meta({ id: 'BillingAddressFieldMode' });
const BillingAddressFields = z
  .object({
    country: FieldModeShape,
    state: FieldModeShape,
    city: FieldModeShape,
    postal_code: FieldModeShape,
    line1: FieldModeShape,
    line2: FieldModeShape,
  })
  .meta({ id: 'CheckoutBillingAddressFields' });

const MAX_ANSWERS = 200;
const answer = z.union([z.string().max(10_000), z.int32(), z.boolean(), Timestamp]).nullable();
const answersRead = z.record(z.string(), answer);
const answersGiven = z
  .record(z.string().max(255), answer)
  .refine((answers) => Object.keys(answers).length <= MAX_ANSWERS, { error: 'Too many answers.' });

const sessionShape = {
  ...resourceShape,
  custom_field_data: answersRead.optional(),
  payment_processor: PaymentProcessorShape,
  status: CheckoutStatusShape,
  client_secret: z.string(),
  url: z.string(),
  expires_at: Timestamp,
  success_url: z.string(),
  return_url: z.string().nullable(),
  embed_origin: z.string().nullable(),
  amount: z.int(),
  seats: z.int().nullish(),
  min_seats: z.int().nullish(),
  max_seats: z.int().nullish(),
  discount_amount: z.int(),
  net_amount: z.int(),
  tax_amount: z.int().nullable(),
  tax_behavior: TaxBehavior.nullable(),
  total_amount: z.int(),
  currency: Currency,
  allow_trial: z.boolean().nullable(),
  active_trial_interval: TrialInterval.nullable(),
  active_trial_interval_count: z.int().nullable(),
  trial_end: Timestamp.nullable(),
  organization_id: Id,
  product_id: Id.nullable(),
  product_price_id: Id.nullable().meta({ deprecated: true }),
  discount_id: Id.nullable(),
  allow_discount_codes: z.boolean(),
  require_billing_address: z.boolean(),
  is_discount_applicable: z.boolean(),
  is_free_product_price: z.boolean(),
  is_payment_required: z.boolean(),
  is_payment_setup_required: z.boolean(),
  is_payment_form_required: z.boolean(),
  customer_id: Id.nullable(),
  is_business_customer: z.boolean(),
  customer_name: z.string().nullable(),
  customer_email: z.string().nullable(),
  customer_ip_address: z.string().nullable(),
  customer_billing_name: z.string().nullable(),
  customer_billing_address: Address.nullable(),
  customer_tax_id: z.string().nullable(),
  locale: z.string().nullish(),
  payment_method_type: z.string().nullable(),
  payment_processor_metadata: z.record(z.string(), z.string()),
  billing_address_fields: BillingAddressFields,
  products: z.array(CheckoutProduct),
  product: CheckoutProduct.nullable(),
  product_price: AnyPrice.nullable().meta({ deprecated: true }),
  prices: z.record(Id, z.array(AnyPrice)).nullable(),
  discount: CheckoutDiscount.nullable(),
  attached_custom_fields: z.array(AttachedCustomField).nullable(),
};

export const CheckoutShape = z
  .object({
    ...sessionShape,
    trial_interval: TrialInterval.nullable(),
    trial_interval_count: z.int().nullable(),
    metadata: Metadata,
    external_customer_id: z.string().nullable(),
    subscription_id: Id.nullable(),
    customer_metadata: z.record(z.string(), z.union([z.string(), z.int(), z.boolean()])),
  })
  .meta({ id: 'Checkout' });
export type CheckoutWire = z.input<typeof CheckoutShape>;

const publicShape = { ...sessionShape, organization: CheckoutOrganization };
export const CheckoutPublic = z.object(publicShape).meta({ id: 'CheckoutPublic' });
export type CheckoutPublicWire = z.input<typeof CheckoutPublic>;

export const CheckoutPublicConfirmed = z
  .object({ ...publicShape, status: z.literal('confirmed'), customer_session_token: z.string().nullable() })
  .meta({ id: 'CheckoutPublicConfirmed' });

const MAX_PRODUCTS = 100;
const MAX_SEATS = 10_000;
const MAX_TRIAL = 1_000;
const seats = z.int32().min(1).max(MAX_SEATS).nullish();
const amount = Int32.min(0).nullish();
const Url = z.url({ protocol: /^https?$/ }).max(2_083);
const text = z.string().max(1_000);

const trialShape = {
  trial_interval: TrialInterval.nullish(),
  trial_interval_count: z.int32().min(1).max(MAX_TRIAL).nullish(),
};
const buyerShape = {
  customer_name: Name.nullish(),
  customer_email: Email.nullish(),
  customer_billing_name: text.nullish(),
  customer_billing_address: AddressInput.nullish(),
  customer_tax_id: z.string().max(64).nullish(),
  locale: z.string().max(35).nullish(),
};
const pagesShape = {
  success_url: Url.nullish(),
  return_url: Url.nullish(),
  embed_origin: text.nullish(),
};
const IpAddress = z.union([z.ipv4(), z.ipv6()]);

export const CheckoutProductsCreate = z
  .object({
    ...trialShape,
    metadata: MetadataInput.optional(),
    custom_field_data: answersGiven.optional(),
    discount_id: Id.nullish(),
    allow_discount_codes: z.boolean().default(true),
    require_billing_address: z.boolean().default(false),
    amount,
    seats,
    min_seats: seats,
    max_seats: seats,
    allow_trial: z.boolean().default(true),
    customer_id: Id.nullish(),
    is_business_customer: z.boolean().optional().meta({ default: false }),
    external_customer_id: ExternalId.nullish(),
    ...buyerShape,
    customer_ip_address: IpAddress.nullish(),
    customer_metadata: MetadataInput.optional(),
    subscription_id: Id.nullish(),
    ...pagesShape,
    currency: PresentmentCurrency.nullish(),
    products: z.array(Id).min(1).max(MAX_PRODUCTS),
    prices: PricesGiven.nullish(),
  })
  .meta({ id: 'CheckoutProductsCreate' });

/** Older integrations name one product, or one of its prices, which stands for its product. */
export const CheckoutCreate = z.preprocess((body) => {
  if (body === null || typeof body !== 'object' || 'products' in body) return body;
  const { product_id, product_price_id, ...rest } = body as Record<string, unknown>;
  const named = product_id ?? product_price_id;
  return named === undefined ? body : { ...rest, products: [named] };
}, CheckoutProductsCreate);
export type CheckoutCreate = z.output<typeof CheckoutProductsCreate>;

const choiceShape = {
  custom_field_data: answersGiven.optional(),
  product_id: Id.nullish(),
  product_price_id: Id.nullish().meta({ deprecated: true }),
  amount,
  seats,
  is_business_customer: z.boolean().nullish(),
  ...buyerShape,
};

export const CheckoutUpdate = z
  .object({
    ...choiceShape,
    ...trialShape,
    metadata: MetadataInput.optional(),
    currency: PresentmentCurrency.nullish(),
    discount_id: Id.nullish(),
    allow_discount_codes: z.boolean().nullish(),
    require_billing_address: z.boolean().nullish(),
    allow_trial: z.boolean().nullish(),
    customer_ip_address: IpAddress.nullish(),
    customer_metadata: MetadataInput.nullish(),
    ...pagesShape,
  })
  .meta({ id: 'CheckoutUpdate' });

const publicChoiceShape = {
  ...choiceShape,
  payment_method_type: text.nullish(),
  discount_code: text.nullish(),
  allow_trial: z.literal(false).nullish(),
};
export const CheckoutUpdatePublic = z.object(publicChoiceShape).meta({ id: 'CheckoutUpdatePublic' });
export const CheckoutConfirmStripe = z
  .object({ ...publicChoiceShape, confirmation_token_id: z.string().min(1).max(500).nullish() })
  .meta({ id: 'CheckoutConfirmStripe' });
