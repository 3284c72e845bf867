import { invalid } from '@tributary/runtime/http/problem.ts';
import { euroCountries, statesOf } from './countries.ts';

/** Where a customer is billed. */
export interface Address {
  line1: string | null;
  line2: string | null;
  postal_code: string | null;
  city: string | null;
  /** `US-NY` in the United States and Canada, free text elsewhere. */
  state: string | null;
  country: string;
}

export interface AddressInput {
  line1?: string | null;
  line2?: string | null;
  postal_code?: string | null;
  city?: string | null;
  state?: string | null;
  country: string;
}

/**
 * The address as it is kept: empty text is nothing, and a state of the United States or Canada gets its ISO 3166-2
 * form. A state unknown there is a 422 at `loc`.state.
 */
export function normalizeAddress(input: AddressInput, loc: readonly (string | number)[]): Address {
  const kept = (value: string | null | undefined) => value?.trim() || null;
  return {
    line1: kept(input.line1),
    line2: kept(input.line2),
    postal_code: kept(input.postal_code),
    city: kept(input.city),
    state: normalizeState(input.country, kept(input.state), [...loc, 'state']),
    country: input.country,
  };
}

function normalizeState(country: string, state: string | null, loc: (string | number)[]): string | null {
  const known = statesOf[country];
  if (!known || state === null) return state;
  const upper = state.toUpperCase();
  const code = upper.startsWith(`${country}-`) ? upper.slice(country.length + 1) : upper;
  if (known.has(code)) return `${country}-${code}`;
  throw invalid(loc, `Invalid state for ${country}.`, 'value_error', state);
}

/** Whether the address says more than country and, in the United States and Canada, state. */
export function isDetailed(address: Address | null): boolean {
  if (!address) return false;
  if (address.line1 || address.line2) return true;
  return address.state !== null && !(address.country in statesOf);
}

/** Countries whose currency's code does not begin with their own code. */
const currencyOf: Readonly<Record<string, string>> = {
  AG: 'xcd',
  AI: 'xcd',
  AS: 'usd',
  BF: 'xof',
  BJ: 'xof',
  BQ: 'usd',
  BV: 'nok',
  CC: 'aud',
  CF: 'xaf',
  CG: 'xaf',
  CI: 'xof',
  CK: 'nzd',
  CM: 'xaf',
  CW: 'xcg',
  CX: 'aud',
  DM: 'xcd',
  EC: 'usd',
  EH: 'mad',
  FM: 'usd',
  FO: 'dkk',
  GA: 'xaf',
  GD: 'xcd',
  GG: 'gbp',
  GL: 'dkk',
  GQ: 'xaf',
  GS: 'gbp',
  GU: 'usd',
  GW: 'xof',
  HM: 'aud',
  IM: 'gbp',
  IO: 'usd',
  JE: 'gbp',
  KI: 'aud',
  KN: 'xcd',
  LC: 'xcd',
  LI: 'chf',
  MH: 'usd',
  ML: 'xof',
  MP: 'usd',
  MS: 'xcd',
  NC: 'xpf',
  NE: 'xof',
  NF: 'aud',
  NR: 'aud',
  NU: 'nzd',
  PF: 'xpf',
  PN: 'nzd',
  PR: 'usd',
  PS: 'ils',
  PW: 'usd',
  SJ: 'nok',
  SN: 'xof',
  SV: 'usd',
  SX: 'xcg',
  TC: 'usd',
  TD: 'xaf',
  TG: 'xof',
  TK: 'nzd',
  TL: 'usd',
  TV: 'aud',
  UM: 'usd',
  VC: 'xcd',
  VG: 'usd',
  VI: 'usd',
  WF: 'xpf',
};

/** The one of `offered` that buyers in the country pay in at home, if any. */
export function homeCurrency(country: string, offered: readonly string[]): string | undefined {
  const named = euroCountries.has(country) ? 'eur' : currencyOf[country];
  if (named !== undefined) return offered.find((currency) => currency === named);
  // ISO 4217 builds a national currency's code from the country's and one letter.
  return offered.find((currency) => currency.startsWith(country.toLowerCase()));
}
