import { newId } from '@tributary/proto/id.ts';
import { testMachine } from '@tributary/runtime/testing/machine-table.ts';
import fc from 'fast-check';
import {
  custom,
  fixed,
  organizationCopy,
  type ProductGiven,
  productCopy,
  seatBased,
} from '../testing/copies.ts';
import {
  type Checkout,
  checkoutMachine,
  checkoutOfKey,
  confirmCheckout,
  intentKey,
  isExpired,
  reopenCheckout,
  succeedCheckout,
} from './checkout.ts';
import { newCheckout } from './new-checkout.ts';
import { amountToCharge, needs } from './pricing.ts';
import { itemsSold } from './sale.ts';

testMachine(
  checkoutMachine,
  [
    'open confirm -> confirmed',
    'open expire -> expired',
    'confirmed succeed -> succeeded',
    'confirmed paymentFailed -> open',
  ],
  (_status, action) => (action === 'confirm' ? 403 : 409),
);

const now = new Date('2026-01-15T12:00:00Z');
const later = new Date('2026-01-15T13:00:00Z');
const blank = { session_prices: {}, subscription_id: null, customer: null };

function session(given: ProductGiven = {}, input: object = {}) {
  const organization = organizationCopy();
  const product = productCopy({ organization_id: organization.id, ...given });
  const checkout = newCheckout({ ...blank, ...input }, { organization, products: [product] }, now);
  return { checkout, product };
}

const confirmation = {
  customer_id: newId(),
  external_customer_id: null,
  is_customer_unproven: false,
  confirmation_token: 'tok_visa',
  confirmation_request: null,
};

describe('a checkout', () => {
  test('is expired from the moment its time is over, unless it was confirmed', () => {
    const { checkout, product } = session();
    const end = checkout.expires_at;
    expect([isExpired(checkout, new Date(end.getTime() - 1)), isExpired(checkout, end)]).toEqual([
      false,
      true,
    ]);
    expect(isExpired(confirmCheckout(checkout, confirmation, product, now), end)).toBe(false);
  });

  test('has another key with the processor for each attempt', () => {
    const { checkout, product } = session();
    const first = confirmCheckout(checkout, confirmation, product, now);
    const second = confirmCheckout(reopenCheckout(first, later), confirmation, product, later);
    expect(intentKey(first)).not.toBe(intentKey(second));
    expect([checkoutOfKey(intentKey(second)), checkoutOfKey('setup/x/y')]).toEqual([checkout.id, undefined]);
  });

  test('keeps nothing of a payment that has ended', () => {
    const { checkout, product } = session();
    const confirmed: Checkout = {
      ...confirmCheckout(checkout, confirmation, product, now),
      payment_processor_metadata: {
        intent_client_secret: 's',
        intent_status: 'requires_action',
        other: 'kept',
      },
    };
    for (const ended of [reopenCheckout(confirmed, later), succeedCheckout(confirmed, later)]) {
      expect(ended).toMatchObject({
        payment_processor_metadata: { other: 'kept' },
        confirmation_token: null,
        resume_at: null,
      });
    }
    expect(reopenCheckout(confirmed, later).session_prices).toEqual({});
  });
});

describe('what the buyer needs', () => {
  test.each<[string, ProductGiven, object]>([
    ['a price', {}, { is_payment_required: true, is_payment_setup_required: false }],
    [
      'nothing, once',
      { prices: [fixed(0)] },
      { is_payment_form_required: false, is_free_product_price: true },
    ],
    [
      'nothing, every month',
      { recurring_interval: 'month', prices: [fixed(0)] },
      { is_payment_form_required: false },
    ],
    [
      'a price each month',
      { recurring_interval: 'month' },
      { is_payment_required: true, is_payment_setup_required: true },
    ],
    [
      'a price after a trial',
      { recurring_interval: 'month', trial_interval: 'day', trial_interval_count: 3 },
      { is_payment_required: false, is_payment_setup_required: true },
    ],
    [
      'nothing by choice',
      { prices: [custom(0)] },
      { is_payment_form_required: false, is_discount_applicable: true },
    ],
  ])('for %s', (_name, given, expected) => {
    const { checkout, product } = session(given);
    expect(needs(checkout, product)).toMatchObject(expected);
  });
});

test('what is sold adds up to what was shown and is charged', () => {
  const price = fc.integer({ min: 50, max: 49_999_999 });
  const seats = fc.integer({ min: 1, max: 500 });
  fc.assert(
    fc.property(
      price,
      fc.integer({ min: 0, max: 100_000 }),
      seats,
      fc.boolean(),
      (amount, perSeat, count, isRecurring) => {
        const given: ProductGiven = {
          recurring_interval: isRecurring ? 'month' : null,
          prices: [fixed(amount), seatBased(perSeat)],
        };
        const { checkout, product } = session(given, { seats: count });
        const sum = itemsSold(checkout, product).reduce((total, item) => total + item.amount, 0);
        expect(sum).toBe(amount + perSeat * count);
        expect([checkout.amount, checkout.net_amount, checkout.total_amount]).toEqual([sum, sum, sum]);
        expect(amountToCharge(checkout)).toBe(sum);
      },
    ),
  );
});
