/** A known difference between our API document and release 2026-04, with the reason it is there. */
export interface Difference {
  /** Operations it is about. */
  operation: RegExp;
  /** `+` a fact only ours has, `-` a fact only the reference has. */
  sign: '+' | '-';
  fact: RegExp;
  why: string;
}

const any = /./;
const oauth2 = / \/v1\/oauth2\//;
const chatTypes =
  'discord, github_repository and slack_shared_channel benefits are not built; they are refused with a 422';
const laterChanges =
  'plan, seat, billing period, trial, discount, pause and resume changes come with a later issue; their keys are refused';

export const differences: readonly Difference[] = [
  {
    operation: any,
    sign: '+',
    fact: /type: string = custom downloadables feature_flag license_keys meter_credit /,
    why: chatTypes,
  },
  {
    operation: any,
    sign: '-',
    fact: /type: string = custom discord downloadables .* slack_shared_channel /,
    why: chatTypes,
  },
  {
    operation: any,
    sign: '-',
    fact: /properties\.(archive_on_revoke|channel_\w+|guild_\w+|kick_member|permission|private|repository_\w+|role_id|slack_\w+|team_invitees(\[\])?|welcome_message|account_id|granted_account_id|connected_team_id|invite_\w+|invited_email):/,
    why: chatTypes,
  },
  {
    operation: /PATCH \/v1\/customer-portal\/benefit-grants/,
    sign: '-',
    fact: /request\.properties: object/,
    why: 'only the benefit types that are not built have grant properties a customer sets',
  },
  {
    operation: / \/v1\/(benefit-grants\/|benefits\/\{id\}\/grants)$/,
    sign: '+',
    fact: /properties\.last_credited_/,
    why: 'a meter_credit grant shows what it credited last, as domain behaviour has it',
  },
  {
    operation: / \/v1\/events\/(\{id\})?$/,
    sign: '+',
    fact: /updated_fields\.metadata\{\}: boolean\|number\|string/,
    why: 'customer metadata may hold fractions, so the event that tells of its change may too',
  },
  {
    operation: / \/v1\/events\/(\{id\})?$/,
    sign: '-',
    fact: /updated_fields\.metadata\{\}: boolean\|integer\|string/,
    why: 'customer metadata may hold fractions, so the event that tells of its change may too',
  },
  {
    operation: /GET \/v1\/events\/$/,
    sign: '+',
    fact: /pagination\.(max_page|total_count): integer \(required\)/,
    why: 'the list envelope always has both members (service description, section 2); there is no cursor form',
  },
  {
    operation: /GET \/v1\/events\/$/,
    sign: '-',
    fact: /pagination\.(max_page|total_count|has_next_page):/,
    why: 'the list envelope always has both members (service description, section 2); there is no cursor form',
  },
  {
    operation: oauth2,
    sign: '+',
    fact: any,
    why: 'the release leaves these bodies and parameters open; ours are described',
  },
  {
    operation: oauth2,
    sign: '-',
    fact: /^(200: any|200\.\w+: .*\(required\)|status 200)/,
    why: 'an inactive token has `active` only (RFC 7662); a registered client is answered with 201',
  },
  {
    operation: any,
    sign: '-',
    fact: /^scheme (oidc|pat):$/,
    why: 'these operations need no credentials, or authenticate at the endpoint itself (RFC 6749, RFC 7592)',
  },
  {
    operation: any,
    sign: '+',
    fact: /^status (400|401|404|410|422)$/,
    why: 'a refusal that is answered is described',
  },
  {
    operation: / \/v1\/customers\/external\//,
    sign: '+',
    fact: /^status 409$/,
    why: 'an external id that customers of several organizations have names none of them',
  },
  {
    operation: /GET \/v1\/customer-portal\/license-keys\/$/,
    sign: '+',
    fact: /query benefit_id(: array\|null\|string:uuid4|\[\]: string:uuid4)/,
    why: 'the filter takes several values, as filters do',
  },
  {
    operation: /GET \/v1\/customer-portal\/license-keys\/$/,
    sign: '-',
    fact: /query benefit_id: null\|string:uuid4/,
    why: 'the filter takes several values, as filters do',
  },
  {
    operation: /DELETE \/v1\/customers\//,
    sign: '+',
    fact: /query anonymize: boolean\|null/,
    why: 'an absent parameter may also be null',
  },
  {
    operation: /DELETE \/v1\/customers\//,
    sign: '-',
    fact: /query anonymize: boolean /,
    why: 'an absent parameter may also be null',
  },
  {
    operation: /GET \/v1\/event-types\/$/,
    sign: '+',
    fact: /query (parent_id: null\|string:uuid4|root_events: boolean\|null)/,
    why: 'a parent is an event id; an absent parameter may also be null',
  },
  {
    operation: /GET \/v1\/event-types\/$/,
    sign: '-',
    fact: /query (parent_id: null\|string|root_events: boolean) /,
    why: 'a parent is an event id; an absent parameter may also be null',
  },
  {
    operation: /GET \/v1\/products\/$/,
    sign: '+',
    fact: /query visibility: array\|null\|string/,
    why: 'one value is taken like a list of one',
  },
  {
    operation: /GET \/v1\/products\/$/,
    sign: '-',
    fact: /query visibility: array\|null/,
    why: 'one value is taken like a list of one',
  },
  {
    operation: / \/v1\/products\//,
    sign: '+',
    fact: /amount_type: string = custom fixed free /,
    why: '`free` of older releases is taken as fixed 0',
  },
  {
    operation: / \/v1\/products\//,
    sign: '-',
    fact: /amount_type: string = custom fixed metered_unit seat_based /,
    why: '`free` of older releases is taken as fixed 0',
  },
  {
    operation: /seats/,
    sign: '+',
    fact: /metadata\{\}: any/,
    why: 'seat metadata takes any JSON value, as the release does without saying so',
  },
  {
    operation: /PATCH \/v1\/(customer-portal\/)?subscriptions/,
    sign: '-',
    fact: /^request\.(current_billing_period_end|discount_id|pause_at_period_end|pending_update|product_id|proration_behavior|resume|resumes_at|seats|trial_end):/,
    why: laterChanges,
  },
];
