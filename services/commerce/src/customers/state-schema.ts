import { Id, Metadata, owned, resourceShape, Timestamp } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { CustomFieldData } from '../orders/schema.ts';
import { RecurringInterval } from '../products/schema.ts';
import { individualShape, teamShape } from './schema.ts';

const units = { consumed_units: z.number(), credited_units: z.int() };

const BenefitTypeShape = z
  .enum([
    'custom',
    'discord',
    'github_repository',
    'downloadables',
    'license_keys',
    'meter_credit',
    'feature_flag',
    'slack_shared_channel',
  ])
  .meta({ id: 'BenefitType' });

const CustomerStateSubscription = z
  .object({
    ...resourceShape,
    custom_field_data: CustomFieldData.optional(),
    metadata: Metadata,
    status: z.enum(['active', 'trialing']),
    amount: z.int(),
    currency: z.string(),
    recurring_interval: RecurringInterval,
    current_period_start: Timestamp,
    current_period_end: Timestamp,
    trial_start: Timestamp.nullable(),
    trial_end: Timestamp.nullable(),
    cancel_at_period_end: z.boolean(),
    canceled_at: Timestamp.nullable(),
    started_at: Timestamp.nullable(),
    ends_at: Timestamp.nullable(),
    product_id: Id,
    discount_id: Id.nullable(),
    meters: z.array(
      z
        .object({ ...resourceShape, ...units, amount: z.int(), meter_id: Id })
        .meta({ id: 'CustomerStateSubscriptionMeter' }),
    ),
  })
  .meta({ id: 'CustomerStateSubscription' });

const CustomerStateBenefitGrant = z
  .object({
    ...resourceShape,
    granted_at: Timestamp,
    benefit_id: Id,
    benefit_type: BenefitTypeShape,
    benefit_metadata: Metadata,
    properties: z.union([
      owned<object>('BenefitGrantDownloadablesProperties'),
      owned<object>('BenefitGrantLicenseKeysProperties'),
      owned<object>('BenefitGrantCustomProperties'),
      owned<object>('BenefitGrantFeatureFlagProperties'),
    ]),
  })
  .meta({ id: 'CustomerStateBenefitGrant' });

const CustomerStateMeter = z
  .object({ ...resourceShape, meter_id: Id, ...units, balance: z.number() })
  .meta({ id: 'CustomerStateMeter' });

const stateShape = {
  active_subscriptions: z.array(CustomerStateSubscription),
  granted_benefits: z.array(CustomerStateBenefitGrant),
  active_meters: z.array(CustomerStateMeter),
};

export const CustomerState = z
  .discriminatedUnion('type', [
    z.object({ ...individualShape, ...stateShape }).meta({ id: 'CustomerStateIndividual' }),
    z.object({ ...teamShape, ...stateShape }).meta({ id: 'CustomerStateTeam' }),
  ])
  .meta({ id: 'CustomerState' });
export type CustomerStateWire = z.input<typeof CustomerState>;
