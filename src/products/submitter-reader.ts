/** Reads a submitter file (package format §5): `SubmitterDetails`. */

import { SUBMITTER_ID_PATTERN } from '../contract/limits.ts';
import type { Json } from '../domain/product.ts';
import { address, companyName, country, emailAddress, phoneNumber } from './schema/common.ts';
import { unflagged } from './schema/leaves.ts';
import { anyBoolean, atMost, matching } from './schema/lexical.ts';
import { Place } from './schema/reading.ts';
import { expected, optional, sequence } from './schema/structures.ts';
import { decodeXml, StructureProblem, xmlProblemOf } from './xml/decode.ts';
import { parseXml } from './xml/tree.ts';

const ROOT = 'SubmitterDetails';

const submitterDetails = sequence({
  SubmitterID: optional(unflagged(matching(SUBMITTER_ID_PATTERN, 'a submitter ID (five digits)'))),
  Name: expected(companyName),
  Sme: expected(unflagged(anyBoolean)),
  HasVatNumber: expected(unflagged(anyBoolean)),
  VatNumber: optional(unflagged(atMost(40))),
  Address: expected(address),
  Country: expected(country),
  PhoneNumber: expected(phoneNumber),
  Email: expected(emailAddress),
});

export interface ReadSubmitter {
  /** Taken from the file, or else from its name. */
  submitterId: string;
  details: Json;
}

/**
 * Tolerates deviations from the schema: values are kept and sent to the regulator unchanged.
 *
 * @param fileName gives the submitter ID if the file does not
 * @throws XmlProblem when the file is not a readable submitter
 */
export function readSubmitter(bytes: Uint8Array, fileName: string): ReadSubmitter {
  try {
    return submitterIn(bytes, fileName);
  } catch (error) {
    throw xmlProblemOf(error);
  }
}

function submitterIn(bytes: Uint8Array, fileName: string): ReadSubmitter {
  const root = parseXml(decodeXml(bytes), ROOT);
  const place = Place.root(ROOT);
  const details = submitterDetails.read(root, place) ?? {};
  const submitterId = details.SubmitterID ?? fileName.replace(/\.xml$/i, '');
  if (!SUBMITTER_ID_PATTERN.test(submitterId)) {
    throw new StructureProblem(`${ROOT}/SubmitterID is missing or invalid; expected five digits`, root.line);
  }
  return { submitterId, details: JSON.parse(JSON.stringify(details)) as Json };
}
