/** The markets of the package format (§4): the EU states and `GB`, which stands for Northern Ireland. */
export const MARKETS =
  'AT BE BG CY CZ DE DK EE ES FI FR GB GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');
