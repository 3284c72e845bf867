import { type Issue, ValidationProblem } from '@tributary/runtime/http/problem.ts';
import type { ProductCopy } from '../products/product.ts';
import type { Checkout } from './checkout.ts';
import { missingAnswers } from './custom-field-data.ts';
import { needs } from './pricing.ts';

export const fieldModes = ['required', 'optional', 'disabled'] as const;
export type FieldMode = (typeof fieldModes)[number];

export interface BillingAddressFields {
  country: FieldMode;
  state: FieldMode;
  city: FieldMode;
  postal_code: FieldMode;
  line1: FieldMode;
  line2: FieldMode;
}

/** Which parts of an address the form asks for (domain rules 1.5). */
export function billingAddressFields(checkout: Checkout): BillingAddressFields {
  const country = checkout.customer_billing_address?.country;
  const isFull = checkout.require_billing_address || checkout.is_business_customer || country === 'US';
  const hasStates = country === 'US' || country === 'CA';
  const part: FieldMode = isFull ? 'required' : 'disabled';
  const extra: FieldMode = isFull ? 'optional' : 'disabled';
  return {
    country: 'required',
    state: hasStates ? 'required' : extra,
    city: part,
    postal_code: part,
    line1: part,
    line2: extra,
  };
}

/** Refuses (422) a confirmation that leaves out what the form asks for: one issue for each field. */
export function requireBuyerFields(checkout: Checkout, product: ProductCopy, token: string | null): void {
  const { is_payment_form_required } = needs(checkout, product);
  const missing: string[][] = [
    ...(checkout.customer_id === null && !checkout.customer_email ? [['customer_email']] : []),
    ...(is_payment_form_required ? missingForPayment(checkout) : []),
    ...(checkout.is_business_customer && !checkout.customer_billing_name ? [['customer_billing_name']] : []),
    ...missingAnswers(product.attached_custom_fields, checkout.custom_field_data).map((slug) => [
      'custom_field_data',
      slug,
    ]),
    ...(is_payment_form_required && token === null ? [['confirmation_token_id']] : []),
  ];
  if (missing.length > 0) {
    throw new ValidationProblem(
      missing.map((path): Issue => ({ loc: ['body', ...path], msg: 'Field required', type: 'missing' })),
    );
  }
}

function missingForPayment(checkout: Checkout): string[][] {
  const address = checkout.customer_billing_address;
  const modes = Object.entries(billingAddressFields(checkout)) as [keyof BillingAddressFields, FieldMode][];
  return [
    ...(checkout.customer_name ? [] : [['customer_name']]),
    ...modes
      .filter(([part, mode]) => mode === 'required' && !address?.[part])
      .map(([part]) => ['customer_billing_address', part]),
  ];
}
