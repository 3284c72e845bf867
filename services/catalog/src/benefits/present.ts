import { presentRecorded } from '@tributary/runtime/db/columns.ts';
import { type Benefit, isVisibilityConfigurable } from './benefit.ts';
import type { BenefitWire } from './schema.ts';

export const presentBenefit = (benefit: Benefit): BenefitWire =>
  ({
    ...presentPublicBenefit(benefit),
    metadata: benefit.metadata,
    visibility: benefit.visibility,
    properties: benefit.properties,
    visibility_configurable: isVisibilityConfigurable(benefit.type),
  }) as BenefitWire;

export const presentPublicBenefit = (benefit: Benefit) => ({
  ...presentRecorded(benefit),
  type: benefit.type,
  description: benefit.description,
  selectable: benefit.selectable,
  deletable: benefit.deletable,
  is_deleted: benefit.deleted_at !== null,
  organization_id: benefit.organization_id,
});
