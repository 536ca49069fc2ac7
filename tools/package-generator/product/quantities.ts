/** Numbers and dates in the many ways in which people write them. All are valid `xs:double` and `xs:date`. */
import type { Random } from '../random.ts';

/** A positive quantity of about 10^magnitude, as text that an importer has to keep as it is. */
export function quantity(random: Random, magnitude: number): string {
  const value = random.int(100, 999_999) / 100_000;
  const scaled = value * 10 ** magnitude;
  const write = random.weighted<() => string>([
    [() => plainDecimal(scaled), 60],
    [() => String(Math.max(1, Math.round(scaled))), 10],
    [() => `${plainDecimal(scaled)}${random.digits(12)}${random.int(1, 9)}`, 8],
    [() => `${value.toFixed(3)}E${magnitude}`, 6],
    [() => `${Math.ceil(value)}e${magnitude >= 0 ? '+' : ''}${magnitude}`, 4],
    [() => `00${plainDecimal(scaled)}`, 4],
    [() => `${plainDecimal(scaled)}00`, 6],
    [() => `+${plainDecimal(scaled)}`, 2],
  ]);
  return write();
}

/** Always with a decimal point and never in scientific notation. */
function plainDecimal(value: number): string {
  return value.toFixed(Math.min(12, Math.max(2, 4 - Math.floor(Math.log10(value)))));
}

/** A number with few decimals in a range, as a technical data sheet gives it. */
export function measure(random: Random, from: number, to: number, decimals: number): string {
  const scale = 10 ** decimals;
  return String(random.int(Math.round(from * scale), Math.round(to * scale)) / scale);
}

/** A day of the year, `YYYY-MM-DD`. */
export function dayOf(random: Random, year: number): string {
  const day = new Date(Date.UTC(year, 0, random.int(1, 365)));
  return day.toISOString().slice(0, 10);
}

/** A day from half a year to a year and a half after another. */
export function soonAfter(random: Random, day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + random.int(190, 540));
  return date.toISOString().slice(0, 10);
}

/** The check digit of EAN, UPC and GTIN numbers: every other digit counts threefold, from the right. */
function checkDigit(digits: string): number {
  const sum = [...digits]
    .reverse()
    .reduce((total, digit, index) => total + Number(digit) * (index % 2 ? 1 : 3), 0);
  return (10 - (sum % 10)) % 10;
}

/** A trade item number of `length` digits with its check digit. Some begin with zeros. */
export function tradeItemNumber(random: Random, length: 12 | 13 | 14): string {
  const digits = `${random.pick(['0', '00', '4', '5', '87'])}${random.digits(length)}`.slice(0, length - 1);
  return `${digits}${checkDigit(digits)}`;
}
