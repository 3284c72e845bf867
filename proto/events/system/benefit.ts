import { z } from 'zod';

const benefitTypes = [
  'custom',
  'discord',
  'github_repository',
  'downloadables',
  'license_keys',
  'meter_credit',
  'feature_flag',
  'slack_shared_channel',
] as const;

const BenefitGrantMetadata = z
  .object({
    benefit_id: z.string(),
    benefit_grant_id: z.string(),
    benefit_type: z.enum(benefitTypes),
    member_id: z.string().optional(),
  })
  .meta({ id: 'BenefitGrantMetadata' });

/** The life of one customer's grant of a benefit. */
export const benefitEvents = {
  'benefit.granted': BenefitGrantMetadata,
  'benefit.cycled': BenefitGrantMetadata,
  'benefit.updated': BenefitGrantMetadata,
  'benefit.revoked': BenefitGrantMetadata,
};

export const benefitSubject = ['benefit_grant_id'] as const;
