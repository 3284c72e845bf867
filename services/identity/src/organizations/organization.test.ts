import { newId } from '@tributary/proto/id.ts';
import { Problem, ValidationProblem } from '@tributary/runtime/http/problem.ts';
import { capabilitiesOf, type OrganizationStatus, organizationStatuses } from './capabilities.ts';
import { parseEmbedHost } from './embed-host.ts';
import { changeOrganization, newOrganization, type OrganizationChange } from './organization.ts';
import { allFeatures } from './settings.ts';
import { isReservedSlug, isSlug } from './slug.ts';

const now = new Date('2026-01-15T12:00:00Z');
const later = new Date('2026-02-01T00:00:00Z');
const acme = newOrganization(newId(), { name: 'Acme', slug: 'acme' }, 'active', now);
const change = (changes: OrganizationChange, before = acme, isCurrencyPriced = true) =>
  changeOrganization(before, changes, { isCurrencyPriced, now: later });
const refusal = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    if (error instanceof ValidationProblem) return error.issues[0]!.loc.join('.');
    if (error instanceof Problem) return error.type.name;
    throw error;
  }
};

describe('capabilities follow the status', () => {
  const every = 'checkout_payments subscription_renewals payouts refunds api_access dashboard_access';
  test.each<[OrganizationStatus, string]>([
    ['active', every],
    ['review', every],
    ['snoozed', every],
    ['offboarding', 'checkout_payments subscription_renewals refunds api_access dashboard_access'],
    ['created', 'api_access dashboard_access'],
    ['denied', 'api_access dashboard_access'],
    ['offboarded', 'payouts api_access dashboard_access'],
    ['blocked', ''],
  ])('%s: %s', (status, expected) => {
    const on = Object.entries(capabilitiesOf(status)).filter(([, isOn]) => isOn);
    expect(on.map(([name]) => name).join(' ')).toBe(expected);
    expect(Object.keys(capabilitiesOf(status))).toHaveLength(6);
  });

  test('every status has them', () => {
    expect(organizationStatuses.filter((status) => !capabilitiesOf(status))).toEqual([]);
  });
});

describe('a new organization', () => {
  test('has the defaults', () => {
    expect(acme).toMatchObject({
      default_presentment_currency: 'usd',
      default_tax_behavior: 'location',
      socials: [],
      embed_hosts: [],
      subscription_settings: {
        allow_multiple_subscriptions: false,
        proration_behavior: 'prorate',
        benefit_revocation_grace_period: 0,
        prevent_trial_abuse: false,
        allow_customer_updates: true,
      },
      customer_portal_settings: {
        usage: { show: true },
        subscription: { update_seats: true, update_plan: true, pause: false },
        customer: { allow_email_change: false },
      },
      dispute_settings: { auto_accept_below_amount: null },
    });
    expect(Object.values(acme.customer_email_settings)).toEqual(Array(14).fill(true));
    const on = Object.entries(acme.feature_settings).filter(([, value]) => value === true);
    expect(on.map(([name]) => name)).toEqual(['seat_based_pricing_enabled', 'member_model_enabled']);
  });

  test('without members starts without seats', () => {
    const { feature_settings } = newOrganization(
      newId(),
      { name: 'Acme', slug: 'acme', feature_settings: { member_model_enabled: false } },
      'active',
      now,
    );
    expect(feature_settings).toMatchObject({
      member_model_enabled: false,
      seat_based_pricing_enabled: false,
    });
  });

  test('refuses seats without members', () => {
    const feature_settings = { member_model_enabled: false, seat_based_pricing_enabled: true };
    const found = () => newOrganization(newId(), { name: 'A', slug: 'a', feature_settings }, 'active', now);
    expect(refusal(found)).toBe('body.feature_settings.member_model_enabled');
  });

  test('with details has submitted them', () => {
    const { details_submitted_at } = newOrganization(
      newId(),
      { name: 'A', slug: 'a', details: { product_description: 'Kites' } },
      'created',
      now,
    );
    expect(details_submitted_at).toEqual(now);
  });
});

describe('a change', () => {
  test('leaves what it does not name', () => {
    expect(change({})).toEqual({ ...acme, modified_at: later });
  });

  test('null clears what may be empty and leaves what may not', () => {
    const before = {
      ...acme,
      email: 'a@example.com',
      website: 'https://a.example',
      avatar_url: 'https://a.example/a',
    };
    const cleared = {
      name: null,
      email: null,
      website: null,
      avatar_url: null,
      socials: null,
      embed_hosts: null,
    };
    expect(change({ ...cleared, subscription_settings: null, feature_settings: null }, before)).toEqual({
      ...before,
      email: null,
      website: null,
      avatar_url: null,
      modified_at: later,
    });
  });

  test('replaces subscription settings as a whole', () => {
    const subscription_settings = {
      allow_multiple_subscriptions: true,
      proration_behavior: 'invoice' as const,
      benefit_revocation_grace_period: 7,
      prevent_trial_abuse: true,
      allow_customer_updates: false,
    };
    expect(change({ subscription_settings }).subscription_settings).toEqual(subscription_settings);
  });

  test('merges features', () => {
    const feature_settings = { checkout_localization_enabled: true, overview_metrics: ['revenue'] };
    expect(change({ feature_settings }).feature_settings).toEqual({
      ...acme.feature_settings,
      ...feature_settings,
    });
  });

  test('cannot switch seats off', () => {
    expect(refusal(() => change({ feature_settings: { seat_based_pricing_enabled: false } }))).toBe(
      'body.feature_settings.seat_based_pricing_enabled',
    );
  });

  test('cannot switch members off while there are seats', () => {
    expect(refusal(() => change({ feature_settings: { member_model_enabled: false } }))).toBe(
      'body.feature_settings.member_model_enabled',
    );
  });

  test('needs the feature to accept disputes by itself', () => {
    const dispute_settings = { auto_accept_below_amount: 500 };
    expect(refusal(() => change({ dispute_settings }))).toBe('DisputeAutoAcceptNotEnabled');
    const able = { ...acme, feature_settings: allFeatures };
    expect(change({ dispute_settings }, able).dispute_settings).toEqual(dispute_settings);
    const accepting = { ...able, dispute_settings };
    expect(change({ dispute_settings: {} }, accepting).dispute_settings).toEqual(dispute_settings);
    expect(
      change({ dispute_settings: { auto_accept_below_amount: null } }, accepting).dispute_settings,
    ).toEqual({
      auto_accept_below_amount: null,
    });
  });

  test('cannot enforce single sign-on without a connection', () => {
    expect(refusal(() => change({ sso_enforced: true }))).toBe('SSOEnforcementRequiresConnection');
    expect(change({ sso_enforced: false }).sso_enforced).toBe(false);
  });

  test('takes a default currency only when every active product has a price in it', () => {
    const eur = { default_presentment_currency: 'eur' };
    expect(refusal(() => change(eur, acme, false))).toBe('body.default_presentment_currency');
    expect(change(eur).default_presentment_currency).toBe('eur');
    expect(change({ default_presentment_currency: 'usd' }, acme, false)).toMatchObject({
      modified_at: later,
    });
  });

  test('details are submitted once', () => {
    const first = change({ details: { about: 'Kites' } });
    expect(first.details_submitted_at).toEqual(later);
    const again = changeOrganization(first, { details: {} }, { isCurrencyPriced: true, now: new Date() });
    expect(again.details_submitted_at).toEqual(later);
  });
});

test.each([
  ['acme', true],
  ['acme-2', true],
  ['-acme', false],
  ['acme-', false],
  ['ac--me', false],
  ['Acme', false],
  ['ac me', false],
  ['acmé', false],
])('slug %s: %s', (text, isOne) => {
  expect(isSlug(text)).toBe(isOne);
});

test('words of the platform are reserved', () => {
  expect(['api', 'dashboard', 'oauth2', 'login'].every(isReservedSlug)).toBe(true);
  expect(isReservedSlug('acme')).toBe(false);
});

test.each([
  ['example.com', 'example.com'],
  ['Example.COM', 'example.com'],
  ['*.example.com', '*.example.com'],
  ['localhost:3000', 'localhost:3000'],
  ['https://shop.example.com', 'shop.example.com'],
  ['http://localhost:3000/', 'localhost:3000'],
  ['', undefined],
  ['exa mple.com', undefined],
  ['javascript:alert(1)', undefined],
  ['https://', undefined],
  ['a'.repeat(64), undefined],
])('embed host %s is %s', (text, host) => {
  expect(parseEmbedHost(text)).toBe(host);
});
