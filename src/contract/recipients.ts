/** Several recipients in one text: `a@company.example, b@company.example`. An address has no comma in it. */

/** The addresses of a text: each once, in their order. */
export function addressesIn(text: string): string[] {
  const addresses = text.split(',').map((address) => address.trim());
  return [...new Set(addresses.filter((address) => address !== ''))];
}

/** As `addressesIn` reads them. */
export function joinAddresses(addresses: readonly string[]): string {
  return addresses.join(', ');
}
