/** The markets (package format §4): the EU states and `GB`, which stands for Northern Ireland. */
import markets from './markets.json' with { type: 'json' };

export const MARKETS: readonly string[] = markets;
