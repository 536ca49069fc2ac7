/** Companies: submitters' parents, affiliates and enterers, and manufacturers (package format §5). */
import { COMPANIES, type CompanyDetails, REPRESENTATIVES } from '../data/companies.ts';
import { flaggedGroup, list, plain, type XmlGroup, type XmlLeaf } from '../xml/nodes.ts';
import type { ProductContext } from './context.ts';

export function manufacturers({ random }: ProductContext): XmlGroup {
  const makers = random.sample(COMPANIES, random.int(1, 3));
  return list(
    'Manufacturers',
    makers.map((maker) =>
      flaggedGroup(
        'Manufacturer',
        [
          ...companyParts(maker),
          productionSites(random.sample(COMPANIES, random.int(1, 2)), random.chance(0.5)),
        ],
        random.chance(0.2),
        random.chance(0.2) ? { submitterID: random.digits(5) } : {},
      ),
    ),
  );
}

function productionSites(sites: readonly CompanyDetails[], withContact: boolean): XmlGroup {
  return list(
    'ProductionSiteAddresses',
    sites.map(({ address, country, phone, email }) =>
      flaggedGroup(
        'ProductionSiteAddress',
        [
          plain('text', 'Address', address),
          plain('word', 'Country', country),
          withContact && plain('text', 'PhoneNumber', phone),
          withContact && plain('text', 'Email', email),
        ],
        false,
      ),
    ),
  );
}

/**
 * Who submits the product: `Submitter`. One in eight enterers is an empty company, which the format
 * allows (package format §5).
 */
export function submitter({ random, plan, boolean }: ProductContext): XmlGroup {
  const hasParent = random.chance(0.4);
  const affiliates = random.chance(0.5) ? random.sample(COMPANIES, random.int(1, 6)) : [];
  const hasEnterer = random.chance(0.3);
  const saysRepresentative = random.chance(0.6);
  const hasRepresentative = saysRepresentative && random.chance(0.4);
  const company = (name: string, details: CompanyDetails, submitterId?: string) =>
    companyElement(name, details, random.chance(0.2), submitterId);
  return flaggedGroup(
    'Submitter',
    [
      plain('word', 'SubmitterType', random.pick(['MANUFACTURER', 'IMPORTER'])),
      plain('boolean', 'HasParent', hasParent),
      hasParent && company('Parent', random.pick(COMPANIES), random.digits(5)),
      plain('boolean', 'HasAffiliates', affiliates.length > 0),
      affiliates.length > 0 &&
        list(
          'Affiliates',
          affiliates.map((affiliate) => company('Affiliate', affiliate)),
        ),
      plain('boolean', 'HasEnterer', hasEnterer),
      hasEnterer &&
        (random.chance(0.125)
          ? flaggedGroup('Enterer', [], true)
          : company('Enterer', random.pick(REPRESENTATIVES), random.digits(5))),
      saysRepresentative && boolean('HasNaturalLegalRepresentative', hasRepresentative),
      hasRepresentative && company('NaturalLegalRepresentative', random.pick(REPRESENTATIVES)),
    ],
    random.chance(0.1),
    { submitterID: plan.submitterId },
  );
}

export function companyElement(
  name: string,
  details: CompanyDetails,
  confidential: boolean,
  submitterId?: string,
): XmlGroup {
  const attributes = submitterId === undefined ? {} : { submitterID: submitterId };
  return flaggedGroup(name, companyParts(details), confidential, attributes);
}

/** The parts of a company carry no flag of their own. */
function companyParts({ name, address, country, phone, email }: CompanyDetails): XmlLeaf[] {
  return [
    plain('text', 'Name', name),
    plain('text', 'Address', address),
    plain('word', 'Country', country),
    plain('text', 'PhoneNumber', phone),
    plain('text', 'Email', email),
  ];
}
