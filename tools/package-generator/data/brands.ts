/** Invented brands, flavours and wordings. */
import table from './brands.json' with { type: 'json' };

export const BRANDS: readonly string[] = table.brands;
export const FLAVOURS: readonly string[] = table.flavours;
export const DEVICES: readonly string[] = table.devices;
export const COILS: readonly string[] = table.coils;
export const BATTERIES: readonly string[] = table.batteries;

/** Wordings of a national comment, in the language of the market. */
export const NATIONAL_COMMENTS: Readonly<Record<string, string>> = table.nationalComments;

export const GENERAL_COMMENTS: readonly string[] = table.generalComments;
