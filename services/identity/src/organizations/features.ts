import { type Issue, ValidationProblem } from '@tributary/runtime/http/problem.ts';
import { defaultFeatures, type FeatureSettings, type FeatureSettingsUpdate } from './settings.ts';

/** Features of a new organization: members and seats are on unless told otherwise, seats never without members. */
export function initialFeatures(chosen: FeatureSettingsUpdate): FeatureSettings {
  const members = chosen.member_model_enabled ?? defaultFeatures.member_model_enabled;
  const features = merge(defaultFeatures, { seat_based_pricing_enabled: members, ...given(chosen) });
  refuseSeatsWithoutMembers(features, chosen);
  return features;
}

/** The features after a change: keys left out stay, and seats stay on once they are on. */
export function changeFeatures(before: FeatureSettings, change: FeatureSettingsUpdate): FeatureSettings {
  const after = merge(before, given(change));
  if (before.seat_based_pricing_enabled && !after.seat_based_pricing_enabled) {
    throw refusal(change, 'seat_based_pricing_enabled', 'Seat-based pricing cannot be switched off.');
  }
  refuseSeatsWithoutMembers(after, change);
  return after;
}

function refuseSeatsWithoutMembers(after: FeatureSettings, change: FeatureSettingsUpdate): void {
  if (!after.seat_based_pricing_enabled || after.member_model_enabled) return;
  const key =
    change.member_model_enabled === undefined ? 'seat_based_pricing_enabled' : 'member_model_enabled';
  throw refusal(change, key, 'Seat-based pricing needs the member model.');
}

const merge = (before: FeatureSettings, change: FeatureSettingsUpdate): FeatureSettings => ({
  ...before,
  ...change,
});

const given = (change: FeatureSettingsUpdate): FeatureSettingsUpdate =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));

function refusal(
  change: FeatureSettingsUpdate,
  key: keyof FeatureSettingsUpdate,
  msg: string,
): ValidationProblem {
  const issue: Issue = {
    loc: ['body', 'feature_settings', key],
    msg,
    type: 'value_error',
    input: change[key] ?? null,
  };
  return new ValidationProblem([issue]);
}
