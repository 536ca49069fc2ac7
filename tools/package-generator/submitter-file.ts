/** The submitter file of a package (package format §5). */
import { COMPANIES, type CompanyDetails } from './data/companies.ts';
import type { ResolvedOptions } from './options.ts';
import { createRandom } from './random.ts';
import { group, plain } from './xml/nodes.ts';
import { PLAIN_MANNER, writeXml } from './xml/write.ts';

export interface SubmitterDetails extends CompanyDetails {
  submitterId: string;
  /** A small or medium-sized enterprise. */
  sme: boolean;
  vatNumber: string | null;
}

/** Always the same for a submitter ID, whatever the seed. */
export function submitterDetails({ submitterId }: Pick<ResolvedOptions, 'submitterId'>): SubmitterDetails {
  const random = createRandom('submitter', submitterId);
  const company = random.pick(COMPANIES);
  return {
    ...company,
    submitterId,
    sme: random.chance(0.5),
    vatNumber: random.chance(0.8) ? `${company.country}${random.digits(9)}` : null,
  };
}

export function writeSubmitter({ submitterId, sme, vatNumber, ...company }: SubmitterDetails): Buffer {
  const root = group('SubmitterDetails', [
    plain('text', 'SubmitterID', submitterId),
    plain('text', 'Name', company.name),
    plain('boolean', 'Sme', sme),
    plain('boolean', 'HasVatNumber', vatNumber !== null),
    vatNumber !== null && plain('text', 'VatNumber', vatNumber),
    plain('text', 'Address', company.address),
    plain('word', 'Country', company.country),
    plain('text', 'PhoneNumber', company.phone),
    plain('text', 'Email', company.email),
  ]);
  return Buffer.from(writeXml(root, PLAIN_MANNER, createRandom('submitter file')), 'utf8');
}
