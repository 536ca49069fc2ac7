/** The code lists (package format §4), with their display texts. The code is the identity. */
import type { CodeList } from './schema/lexical.ts';

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

export const INGREDIENT_FUNCTIONS: CodeList = {
  1: 'Addictive enhancer',
  2: 'Adhesive',
  3: 'Binder',
  4: 'Carrier',
  5: 'Colour',
  6: 'Combustion modifier',
  7: 'Casing',
  8: 'Fibre',
  9: 'Filler',
  10: 'Filter component',
  11: 'Filtration material',
  12: 'Flavour and/or taste enhancer',
  13: 'Humectant',
  14: 'pH modifier',
  15: 'Plasticiser',
  16: 'Preservative',
  17: 'Solvent/processing aid',
  18: 'Reduced ignition propensity agent',
  19: 'Sizing agent',
  20: 'Smoke enhancer',
  21: 'Smoke colour modifier',
  22: 'Smoke odour modifier',
  23: 'Wrapper',
  24: 'Water-wetting agent',
  25: 'Viscosity modifier',
  26: 'Other',
};

export const OTHER_FUNCTION = '26';

/** Toxicity of the ingredient in unvaporised form. */
export const TOXICITY_STATUSES: CodeList = {
  0: 'No information on toxicity',
  1: 'Not toxic, no CMR properties',
  2: 'Toxic and/or with CMR properties',
};

export const TOXICOLOGICAL_DATA: CodeList = {
  1: 'None available',
  2: 'Available, not new',
  3: 'New since the last report',
};

export const EMISSION_NAMES: CodeList = {
  1: 'Nicotine',
  2: 'Ethylene glycol',
  3: 'Diethylene glycol',
  4: 'Formaldehyde',
  5: 'Acetaldehyde',
  6: 'Acrolein',
  7: 'Crotonaldehyde',
  8: 'TSNA: NNN',
  9: 'TSNA: NNK',
  10: 'Cadmium',
  11: 'Chromium',
  12: 'Copper',
  13: 'Lead',
  14: 'Nickel',
  15: 'Arsenic',
  16: 'Toluene',
  17: 'Benzene',
  18: '1,3-Butadiene',
  19: 'Isoprene',
  20: 'Diacetyl',
  21: 'Acetyl propionyl',
  22: 'Other',
};

export const OTHER_EMISSION = '22';

export const VOLTAGE_WATTAGE_ADJUSTABLE: CodeList = {
  1: 'Voltage and wattage',
  2: 'Voltage only',
  3: 'Wattage only',
  4: 'Neither',
};

export const SUBMITTER_TYPES = ['MANUFACTURER', 'IMPORTER'];
export const PRODUCT_IDENTIFICATION_TYPES = ['PRODUCT_ID', 'TEXT'];
export const PRODUCT_NUMBER_TYPES = ['SUBMITTER', 'UPC', 'EAN', 'GTIN', 'SKU'];
export const REACH_REGISTRATIONS = ['NOT_YET_REGISTERED', 'EXEMPTED'];

/** Hazard categories under Regulation (EC) No 1272/2008, by element name without its prefix `Clp`. */
export const CLP_CATEGORIES = {
  AcuteToxOral: ['1', '2', '3', '4'],
  AcuteToxDermal: ['1', '2', '3', '4'],
  AcuteToxInhalation: ['1', '2', '3', '4'],
  SkinCorrosiveIrritant: ['1A', '1B', '1C', '2'],
  EyeDamageIrritation: ['1', '2'],
  RespiratorySensitisation: ['1'],
  SkinSensitisation: ['1', '1A', '1B'],
  MutagenGenotox: ['1A', '1B', '2'],
  Carcinogenicity: ['1A', '1B', '2'],
  ReproductiveTox: ['1A', '1B', '2', 'lact', '1A_lact', '1B_lact', '2_lact'],
  Stot: ['1', '2', '3'],
  AspirationTox: ['1'],
} as const;

/** The 27 EU states (Greece is `GR`) and `GB`, which since 2021 stands for Northern Ireland. */
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
