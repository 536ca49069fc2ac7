/** Several recipients in one text: `a@company.example, b@company.example`. An address contains no comma. */

/** The addresses of a text in order, without duplicates. */
export function addressesIn(text: string): string[] {
  const addresses = text.split(',').map((address) => address.trim());
  return [...new Set(addresses.filter((address) => address !== ''))];
}

/** Joins addresses to a text that `addressesIn` reads. */
export function joinAddresses(addresses: readonly string[]): string {
  return addresses.join(', ');
}
