/** Check digits of product numbers (package format §9). Pure. */

/** A CAS number of the form `NNNNNNN-NN-N`. Its last digit is the sum of the other digits, each times its place from the right. */
export function hasCasCheckDigit(number: string): boolean {
  const digits = [...number.replaceAll('-', '')].map(Number).reverse();
  const [check, ...others] = digits;
  return others.reduce((sum, digit, index) => sum + digit * (index + 1), 0) % 10 === check;
}

/** A GTIN of 8, 12, 13 or 14 digits. Every other digit from the right counts threefold. */
export function hasGtinCheckDigit(number: string): boolean {
  if (!/^(?:\d{8}|\d{12,14})$/.test(number)) return false;
  const digits = [...number].map(Number).reverse();
  return digits.reduce((sum, digit, index) => sum + digit * (index % 2 === 1 ? 3 : 1), 0) % 10 === 0;
}
