/** The code lists (package format §4) that are more than a range of numbers. The code is the identity. */

/** Display texts by code. */
type CodeList = Readonly<Record<number, string>>;

export const PRODUCT_TYPES: CodeList = {
  1: 'Electronic cigarette - Disposable',
  2: 'Electronic cigarette - Rechargeable, placed on the market with one type of e-liquid (fixed combination)',
  3: 'Electronic cigarette - Rechargeable, device only',
  4: 'Electronic cigarette - Refillable, placed on the market with one type of e-liquid (fixed combination)',
  5: 'Electronic cigarette - Refillable, device only',
  6: 'Kit - Pack containing more than one different e-cigarette device and/or more than one different refill container/cartridge',
  7: 'Refill container/cartridge containing e-liquid',
  8: 'Individual part of electronic cigarette capable of containing e-liquid',
  9: 'Other',
};

export const SUBMISSION_TYPES: CodeList = {
  1: 'New product',
  2: 'Substantial modification leading to a new product ID',
  3: 'Presentation added',
  4: 'Presentation removed or product withdrawn',
  5: 'Other update under the same product ID',
  6: 'Regular (annual) data',
  7: 'Correction of clerical errors',
};

/** The ingredient function "other", of the codes 1–26. */
export const OTHER_FUNCTION = '26';

/** The emission "other", of the codes 1–22. */
export const OTHER_EMISSION = '22';

export const SUBMITTER_TYPES = ['MANUFACTURER', 'IMPORTER'];
export const PRODUCT_IDENTIFICATION_TYPES = ['PRODUCT_ID', 'TEXT'];
export const PRODUCT_NUMBER_TYPES = ['SUBMITTER', 'UPC', 'EAN', 'GTIN', 'SKU'];
export const REACH_REGISTRATIONS = ['NOT_YET_REGISTERED', 'EXEMPTED'];

/** The 27 EU states (Greece is `GR`) and `GB`, which since 2021 means Northern Ireland. */
export const NATIONAL_MARKETS =
  'AT BE BG CY CZ DE DK EE ES FI FR GB GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');

/** ISO 3166-1 alpha-2, as the schema lists it. */
export const COUNTRIES = (
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY ' +
  'BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK ' +
  'FM FO FR GA GB GD GE GG GF GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR ' +
  'IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ' +
  'ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM ' +
  'PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF ' +
  'TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'
).split(' ');
