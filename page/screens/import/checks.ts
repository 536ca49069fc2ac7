/** What the checks of products are about, in the words of docs/product-checks.md; a test holds both together. */
export const CHECKS: Readonly<Record<string, string>> = {
  nicotine_concentration: 'NicotineConcentration is above 20 mg/ml',
  refill_volume:
    'a refill container (types 4, 7) holds more than 10 ml; not where NicotineConcentration is 0',
  tank_volume:
    'a tank or cartridge (types 1–6, 8) holds more than 2 ml (LiquidVolumeCapacity); not where NicotineConcentration is 0',
  launch_date:
    'a new product or substantial modification (submission types 1, 2) is launched less than six months after the day on which it is read',
  withdrawal_date: 'a presentation is withdrawn before its launch',
  cas_check_digit:
    'the last digit of a CAS number, of ingredients and emissions, is not the sum of the others, each times its place from the right, modulo 10',
  gtin_check_digit:
    'a product number of type UPC, EAN or GTIN has not 8, 12, 13 or 14 digits, or its last is not the check digit',
  emission_unit: 'an emission has a quantity and no unit',
  duplicate_presentation: 'a presentation has market, brand, subtype and product number of another',
};
