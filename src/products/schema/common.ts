/** Shared parts of several sections: companies, identifications and number formats (package format §2, §5). */
import { PRODUCT_ID_PATTERN, SUBMITTER_ID_PATTERN } from '../../contract/limits.ts';
import { UUID_PATTERN } from '../../domain/ids.ts';
import { COUNTRIES, PRODUCT_IDENTIFICATION_TYPES } from '../code-lists.ts';
import type { XmlElement } from '../xml/tree.ts';
import { pattern, text, unflagged } from './leaves.ts';
import { atMost, matching, oneOf } from './lexical.ts';
import { type Place, type Reader, shown } from './reading.ts';
import { expected, flagged, list, optional, sequence, typed } from './structures.ts';

/** The parts of a company, of a production site and of a submitter file carry no flag of their own. */
export const companyName = unflagged(atMost(100));
export const address = unflagged(atMost(300));
export const phoneNumber = unflagged(
  matching(/^(?=.{1,20}$)\+?[0-9 .()]+$/, 'a phone number (+, digits, blanks, dots, brackets; at most 20)'),
);

/**
 * Replaces the schema's pattern, which backtracks for minutes on crafted values. It needs one pass and is as strict
 * in the essential points (one @, labels of a host name, at least two of them, at most 80 characters).
 */
export const emailAddress = unflagged(
  matching(
    /^(?=.{3,80}$)[^\s@"(),:;<>[\\\]]+@[0-9A-Za-z][0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)+$/,
    'an e-mail address',
  ),
);

export const country = unflagged(oneOf(COUNTRIES, 'a known country code'));

const companyParts = {
  Name: optional(companyName),
  Address: optional(address),
  Country: optional(country),
  PhoneNumber: optional(phoneNumber),
  Email: optional(emailAddress),
};

/** Warns if a company has some of its parts and not all (package format §5). */
function wholeOrEmpty<T>(parts: Reader<T>): Reader<T> {
  const names = Object.keys(companyParts);
  return {
    read(element, place) {
      const found = new Set(element.children.map(({ name }) => name));
      const missing = names.filter((name) => !found.has(name));
      if (missing.length > 0 && missing.length < names.length)
        place.warn(`lacks ${missing.join(', ')}, but a company has all of its parts or none`, element.line);
      return parts.read(element, place);
    },
  };
}

export const company = flagged(wholeOrEmpty(sequence(companyParts)), submitterIdOf);

const manufacturerParts = wholeOrEmpty(
  sequence({
    ...companyParts,
    ProductionSiteAddresses: expected(
      list(
        'ProductionSiteAddress',
        flagged(
          sequence({
            Address: expected(address),
            Country: expected(country),
            PhoneNumber: optional(phoneNumber),
            Email: optional(emailAddress),
          }),
          () => ({}),
        ),
      ),
    ),
  }),
);

export const manufacturer = flagged(manufacturerParts, submitterIdOf);

/** The attribute `submitterID`, also as `submitterId` (seen). */
export function submitterIdOf(element: XmlElement, place: Place): { submitterID?: string } {
  const { submitterID, submitterId } = element.attributes;
  const value = (submitterID ?? submitterId)?.trim();
  if (value === undefined) return {};
  if (submitterID === undefined) place.warn('writes submitterId for submitterID', element.line);
  if (!SUBMITTER_ID_PATTERN.test(value))
    place.warn(`has the submitterID ${shown(value, false)}, which is not five digits`, element.line);
  return { submitterID: value };
}

export const productIdentifications = list(
  'ProductIdentification',
  typed(text(1000), PRODUCT_IDENTIFICATION_TYPES),
);

export const productId = pattern(PRODUCT_ID_PATTERN, 'a product ID (NNNNN-NN-NNNNN)');
export const casNumber = pattern(/^[0-9]{2,7}-[0-9]{2}-[0-9]$/, 'a CAS number');
export const ecNumber = pattern(/^[0-9]{3}-[0-9]{3}-[0-9]$/, 'an EC number');
export const femaNumber = pattern(/^[0-9]{4}$/, 'a FEMA number');
/** Carries no flag (package format §2). */
export const templateId = unflagged(matching(UUID_PATTERN, 'a UUID'));
