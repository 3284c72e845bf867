import { invalid } from '@tributary/runtime/http/problem.ts';

/** Number and format. */
export type TaxId = [number: string, format: TaxIdFormat];

export const taxIdFormats = [
  'ad_nrt',
  'ae_trn',
  'ar_cuit',
  'au_abn',
  'au_arn',
  'bg_uic',
  'bh_vat',
  'bo_tin',
  'br_cnpj',
  'br_cpf',
  'ca_bn',
  'ca_gst_hst',
  'ca_pst_bc',
  'ca_pst_mb',
  'ca_pst_sk',
  'ca_qst',
  'ch_uid',
  'ch_vat',
  'cl_tin',
  'cn_tin',
  'co_nit',
  'cr_tin',
  'de_stn',
  'do_rcn',
  'ec_ruc',
  'eg_tin',
  'es_cif',
  'eu_oss_vat',
  'eu_vat',
  'gb_vat',
  'ge_vat',
  'hk_br',
  'hr_oib',
  'hu_tin',
  'id_npwp',
  'il_vat',
  'in_gst',
  'is_vat',
  'jp_cn',
  'jp_rn',
  'jp_trn',
  'ke_pin',
  'kr_brn',
  'kz_bin',
  'li_uid',
  'mk_vat',
  'mx_rfc',
  'my_frp',
  'my_itn',
  'my_sst',
  'ng_tin',
  'no_vat',
  'no_voec',
  'nz_gst',
  'om_vat',
  'pe_ruc',
  'ph_tin',
  'ro_tin',
  'rs_pib',
  'ru_inn',
  'ru_kpp',
  'sa_vat',
  'sg_gst',
  'sg_uen',
  'si_tin',
  'sv_nit',
  'th_vat',
  'tr_tin',
  'tw_vat',
  'ua_vat',
  'us_ein',
  'uy_ruc',
  've_rif',
  'vn_tin',
  'za_vat',
  'mu_tan',
] as const;
export type TaxIdFormat = (typeof taxIdFormats)[number];

type Candidates = readonly (readonly [format: TaxIdFormat, pattern: RegExp])[];

/**
 * The formats a number from a country may have, the likelier first, over its letters and digits without separators.
 * Only the form is checked: whether the number was ever issued is for a registry to say.
 */
const formatsOf: Readonly<Record<string, Candidates>> = {
  AD: [['ad_nrt', /^[A-Z]\d{6}[A-Z]$/]],
  AE: [['ae_trn', /^\d{15}$/]],
  AR: [['ar_cuit', /^\d{11}$/]],
  AU: [
    ['au_abn', /^\d{11}$/],
    ['au_arn', /^\d{12}$/],
  ],
  BG: [['bg_uic', /^\d{9}$/]],
  BH: [['bh_vat', /^\d{15}$/]],
  BO: [['bo_tin', /^\d{7,12}$/]],
  BR: [
    ['br_cnpj', /^\d{14}$/],
    ['br_cpf', /^\d{11}$/],
  ],
  CA: [
    ['ca_gst_hst', /^\d{9}RT\d{4}$/],
    ['ca_qst', /^\d{10}TQ\d{4}$/],
    ['ca_pst_bc', /^PST\d{8}$/],
    ['ca_bn', /^\d{9}$/],
    ['ca_pst_sk', /^\d{7}$/],
    ['ca_pst_mb', /^\d{6,7}$/],
  ],
  CH: [
    ['ch_vat', /^CHE\d{9}(MWST|TVA|IVA)$/],
    ['ch_uid', /^CHE\d{9}$/],
  ],
  CL: [['cl_tin', /^\d{7,8}[\dK]$/]],
  CN: [['cn_tin', /^[\dA-Z]{15,18}$/]],
  CO: [['co_nit', /^\d{9,10}$/]],
  CR: [['cr_tin', /^\d{9,12}$/]],
  DE: [['de_stn', /^\d{10,11}$/]],
  DO: [['do_rcn', /^(\d{9}|\d{11})$/]],
  EC: [['ec_ruc', /^\d{13}$/]],
  EG: [['eg_tin', /^\d{9}$/]],
  ES: [['es_cif', /^[A-Z]\d{7}[A-Z\d]$/]],
  GB: [['gb_vat', /^(GB)?(\d{9}|\d{12}|GD\d{3}|HA\d{3})$/]],
  GE: [['ge_vat', /^\d{9}$/]],
  HK: [['hk_br', /^\d{8}$/]],
  HR: [['hr_oib', /^\d{11}$/]],
  HU: [['hu_tin', /^\d{11}$/]],
  ID: [['id_npwp', /^\d{15,16}$/]],
  IL: [['il_vat', /^\d{9}$/]],
  IN: [['in_gst', /^\d{2}[A-Z]{5}\d{4}[A-Z][A-Z\d]Z[A-Z\d]$/]],
  IS: [['is_vat', /^\d{5,6}$/]],
  JP: [
    ['jp_trn', /^T\d{13}$/],
    ['jp_cn', /^\d{13}$/],
    ['jp_rn', /^\d{5}$/],
  ],
  KE: [['ke_pin', /^[A-Z]\d{9}[A-Z]$/]],
  KR: [['kr_brn', /^\d{10}$/]],
  KZ: [['kz_bin', /^\d{12}$/]],
  LI: [['li_uid', /^(CHE)?\d{9}$/]],
  MK: [['mk_vat', /^(MK)?\d{13}$/]],
  MU: [['mu_tan', /^\d{8}$/]],
  MX: [['mx_rfc', /^[A-ZÑ&]{3,4}\d{6}[A-Z\d]{3}$/]],
  MY: [
    ['my_sst', /^[A-Z]\d{2}\d{4}\d{8}$/],
    ['my_itn', /^[A-Z]{1,2}\d{10,11}$/],
    ['my_frp', /^\d{8}$/],
  ],
  NG: [['ng_tin', /^\d{12,13}$/]],
  NO: [
    ['no_vat', /^\d{9}MVA$/],
    ['no_voec', /^\d{7}$/],
  ],
  NZ: [['nz_gst', /^\d{8,9}$/]],
  OM: [['om_vat', /^OM\d{10}$/]],
  PE: [['pe_ruc', /^\d{11}$/]],
  PH: [['ph_tin', /^\d{9}(\d{3})?$/]],
  RO: [['ro_tin', /^\d{2,13}$/]],
  RS: [['rs_pib', /^\d{9}$/]],
  RU: [
    ['ru_inn', /^\d{10}(\d{2})?$/],
    ['ru_kpp', /^\d{9}$/],
  ],
  SA: [['sa_vat', /^\d{15}$/]],
  SG: [
    ['sg_gst', /^M\d{8}[A-Z]$/],
    ['sg_uen', /^(\d{8,9}[A-Z]|[A-Z]\d{2}[A-Z]{2}\d{4}[A-Z])$/],
  ],
  SI: [['si_tin', /^\d{8}$/]],
  SV: [['sv_nit', /^\d{14}$/]],
  TH: [['th_vat', /^\d{13}$/]],
  TR: [['tr_tin', /^\d{10}$/]],
  TW: [['tw_vat', /^\d{8}$/]],
  UA: [['ua_vat', /^\d{9,12}$/]],
  US: [['us_ein', /^\d{9}$/]],
  UY: [['uy_ruc', /^\d{12}$/]],
  VE: [['ve_rif', /^[A-Z]\d{9}$/]],
  VN: [['vn_tin', /^\d{10}(\d{3})?$/]],
  ZA: [['za_vat', /^4\d{9}$/]],
};

/** Forms of a European VAT number behind its country prefix; Greece writes EL. */
const euVat: Readonly<Record<string, RegExp>> = {
  AT: /^U\d{8}$/,
  BE: /^[01]\d{9}$/,
  BG: /^\d{9,10}$/,
  CY: /^\d{8}[A-Z]$/,
  CZ: /^\d{8,10}$/,
  DE: /^\d{9}$/,
  DK: /^\d{8}$/,
  EE: /^\d{9}$/,
  EL: /^\d{9}$/,
  ES: /^[A-Z\d]\d{7}[A-Z\d]$/,
  FI: /^\d{8}$/,
  FR: /^[A-Z\d]{2}\d{9}$/,
  HR: /^\d{11}$/,
  HU: /^\d{8}$/,
  IE: /^(\d{7}[A-W][A-I]?|\d[A-Z+*]\d{5}[A-W])$/,
  IT: /^\d{11}$/,
  LT: /^(\d{9}|\d{12})$/,
  LU: /^\d{8}$/,
  LV: /^\d{11}$/,
  MT: /^\d{8}$/,
  NL: /^\d{9}B\d{2}$/,
  PL: /^\d{10}$/,
  PT: /^\d{9}$/,
  RO: /^\d{2,10}$/,
  SE: /^\d{10}01$/,
  SI: /^\d{8}$/,
  SK: /^\d{10}$/,
  XI: /^\d{9,12}$/,
};

/**
 * Reads a tax number in the form of its country. Without a country, or in none of its forms, it is a 422 at `loc`.
 * @param country ISO alpha-2 code of the billing address
 */
export function readTaxId(text: string, country: string | undefined, loc: (string | number)[]): TaxId {
  if (country === undefined) {
    throw invalid(loc, 'A billing country is required to validate the tax ID.', 'value_error', text);
  }
  const bare = text.toUpperCase().replaceAll(/[\s.,\-/]/g, '');
  if (isEuVat(bare, country)) return [bare, 'eu_vat'];
  const found = formatsOf[country]?.find(([, pattern]) => pattern.test(bare));
  if (found) return [bare, found[0]];
  throw invalid(loc, 'Invalid tax ID for the billing country.', 'value_error', text);
}

function isEuVat(number: string, country: string): boolean {
  const prefix = country === 'GR' ? 'EL' : country;
  const allowed = country === 'GB' ? 'XI' : prefix;
  return number.startsWith(allowed) && euVat[allowed]?.test(number.slice(2)) === true;
}
