import { renderEmail, Unrenderable } from './render-email.ts';
import { templates } from './templates.ts';

const names = Object.keys(templates);
const full = {
  organization_name: 'Acme',
  customer_name: 'Zoë',
  product_name: 'Pro',
  billing_name: 'Zoë Ltd',
  amount: '$10.00',
  invoice_number: 'ACME-0001',
  recurring_interval: 'month',
  recurring_interval_count: 1,
  current_period_end: '2026-02-15T12:00:00.000Z',
  ends_at: '2026-02-15T12:00:00.000Z',
  resumes_at: '2026-03-01T00:00:00.000Z',
  expires_at: '2026-01-16T12:00:00.000Z',
  card: 'Visa 4242',
  code: 'ABC123',
  claim_url: 'https://example.com/claim?invitation_token=1&x=2',
  verify_url: 'https://example.com/verify',
  invitation_url: 'https://example.com/invitation',
  portal_url: 'https://example.com/portal',
  inviter_name: 'Ada',
  endpoint_name: 'Backend',
  endpoint_url: 'https://example.com/hook',
};

/** What the organization's e-mail settings switch on and off (service description, 2.11). */
const SETTINGS = [
  'order_confirmation',
  'payment_method_expiration_reminder',
  'subscription_cancellation',
  'subscription_confirmation',
  'subscription_cycled',
  'subscription_cycled_after_trial',
  'subscription_past_due',
  'subscription_paused',
  'subscription_resumed',
  'subscription_renewal_reminder',
  'subscription_revoked',
  'subscription_trial_conversion_reminder',
  'subscription_uncanceled',
  'subscription_updated',
];

test('there is a template for every mail that an organization can switch off', () => {
  expect(names).toEqual(expect.arrayContaining(SETTINGS));
});

test.each(names)('%s can be written with everything, with nothing, and with nulls', (template) => {
  const nulls = Object.fromEntries(Object.keys(full).map((key) => [key, null]));
  for (const data of [full, {}, nulls]) {
    const { subject, text, html } = renderEmail(template, data);
    expect(subject.length).toBeGreaterThan(5);
    expect(`${subject}${text}${html}`).not.toMatch(/undefined|null|\[object|NaN/);
  }
});

test('a seat invitation has its link in the text and in the HTML', () => {
  const { subject, text, html } = renderEmail('seat_invitation', full);
  expect(subject).toBe('You have a seat on Pro');
  expect(text).toBe(
    `Zoë Ltd has invited you to use Pro by Acme.

It is valid until January 16, 2026.

Accept the invitation: https://example.com/claim?invitation_token=1&x=2

— Acme
`,
  );
  expect(html).toContain('href="https://example.com/claim?invitation_token=1&amp;x=2"');
});

test('a subscription mail says what is paid, and when next', () => {
  const { text } = renderEmail('subscription_confirmation', full);
  expect(text).toContain(
    'Product: Pro\nAmount: $10.00 a month\nInvoice: ACME-0001\nNext renewal: February 15, 2026',
  );
  const quarterly = renderEmail('subscription_cycled', { ...full, recurring_interval_count: 3 });
  expect(quarterly.text).toContain('$10.00 every 3 months');
});

test('a login code is in subject and body', () => {
  const { subject, text } = renderEmail('login_code', { code: 'ABC123', expires_in_minutes: 30 });
  expect(subject).toBe('ABC123 is your code to log in');
  expect(text).toContain('\n\nABC123\n\n');
  expect(text).toContain('valid for 30 minutes');
  expect(text).toContain('— Tributary');
});

test('what a value holds is shown, never read as HTML', () => {
  const hostile = {
    ...full,
    organization_name: `<script>alert("1")</script>&'`,
    product_name: '</p><img src=x onerror=y>',
  };
  for (const template of names) {
    const { html } = renderEmail(template, hostile);
    expect(html).not.toMatch(/<script|<img/);
  }
  expect(renderEmail('seat_invitation', hostile).html).toContain(
    '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;',
  );
});

test('a subject stays one line', () => {
  const { subject } = renderEmail('seat_invitation', { product_name: 'Pro\r\nBcc: victim@example.com' });
  expect(subject).toBe('You have a seat on Pro Bcc: victim@example.com');
});

test.each([
  ['a template nobody wrote', 'welcome', {}],
  ['the name of an inherited property', 'constructor', {}],
  ['a link that is none', 'seat_invitation', { claim_url: 'javascript:alert(1)' }],
  ['an instant that is none', 'subscription_cycled', { current_period_end: 'tomorrow' }],
  ['a number for a text', 'login_code', { code: 5 }],
  ['a text without end', 'order_confirmation', { product_name: 'x'.repeat(1_001) }],
  ['no object', 'login_code', null],
])('%s is refused for good', (_what, template, data) => {
  expect(() => renderEmail(template, data)).toThrow(Unrenderable);
});
