import { Id, resourceShape } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { PROCESSOR } from '../payments/processor.ts';

export const PaymentProcessorShape = z.enum([PROCESSOR]).meta({ id: 'PaymentProcessor' });

const PaymentMethodCardMetadata = z
  .object({
    brand: z.string(),
    last4: z.string(),
    exp_month: z.int(),
    exp_year: z.int(),
    wallet: z.string().nullish(),
  })
  .meta({ id: 'PaymentMethodCardMetadata' });

const shape = { ...resourceShape, processor: PaymentProcessorShape, customer_id: Id };
const cardShape = { ...shape, type: z.literal('card'), method_metadata: PaymentMethodCardMetadata };
const genericShape = { ...shape, type: z.string() };
const defaultShape = { is_default: z.boolean() };

// The contract's component names are the other way round from what they hold: the merchant's view is built of the
// `Customer…` ones.
export const PaymentMethodShape = z
  .union([
    z.object({ ...cardShape, ...defaultShape }).meta({ id: 'CustomerPaymentMethodCard' }),
    z.object({ ...genericShape, ...defaultShape }).meta({ id: 'CustomerPaymentMethodGeneric' }),
  ])
  .meta({ id: 'PaymentMethod' });

export const CustomerPaymentMethod = z
  .union([
    z.object(cardShape).meta({ id: 'PaymentMethodCard' }),
    z.object(genericShape).meta({ id: 'PaymentMethodGeneric' }),
  ])
  .meta({ id: 'CustomerPaymentMethod' });

export const CustomerPaymentMethodCreate = z
  .object({
    confirmation_token_id: z.string().min(1).max(500),
    set_default: z.boolean(),
    return_url: z.string().max(2_083),
  })
  .meta({ id: 'CustomerPaymentMethodCreate' });
export const CustomerPaymentMethodConfirm = z
  .object({ setup_intent_id: z.string().min(1).max(500), set_default: z.boolean() })
  .meta({ id: 'CustomerPaymentMethodConfirm' });

export const CustomerPaymentMethodCreateResponse = z
  .discriminatedUnion('status', [
    z
      .object({ status: z.literal('succeeded'), payment_method: CustomerPaymentMethod })
      .meta({ id: 'CustomerPaymentMethodCreateSucceededResponse' }),
    z
      .object({ status: z.literal('requires_action'), client_secret: z.string() })
      .meta({ id: 'CustomerPaymentMethodCreateRequiresActionResponse' }),
  ])
  .meta({ id: 'CustomerPaymentMethodCreateResponse' });
