/** ISO 3166-1 alpha-2 codes an address may have. */
export const countries = codes(`
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA
  CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA
  GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
  KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS
  MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS
  RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW
  TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`);

/** Nothing is sold to these; an address there can be read where it was stored before, but not written. */
const refused = new Set(['CU', 'IR', 'KP', 'RU', 'SY']);

export const acceptedCountries = countries.filter((code) => !refused.has(code));

/** Subdivisions of the two countries whose taxes depend on them (ISO 3166-2, and the US military "states"). */
export const statesOf: Readonly<Record<string, ReadonlySet<string>>> = {
  US: new Set(
    codes(`AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH
      OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC AS GU MP PR UM VI AA AE AP`),
  ),
  CA: new Set(codes('AB BC MB NB NL NS NT NU ON PE QC SK YT')),
};

export const euroCountries: ReadonlySet<string> = new Set(
  codes(
    `AD AT AX BE BG BL CY DE EE ES FI FR GF GP GR HR IE IT LT LU LV MC ME MF MQ MT NL PM PT RE SI SK SM VA XK YT`,
  ),
);

function codes(list: string): string[] {
  return list.trim().split(/\s+/);
}
