/** Companies: submitters with their parents, affiliates and enterers, manufacturers, and the submitter file (package format §5). */
import type { Context } from './context.ts';
import { COMPANIES, type Company } from './data.ts';
import {
  boolean,
  type Content,
  flaggedGroup,
  group,
  list,
  named,
  text,
  unflagged,
  word,
  type XmlNode,
} from './nodes.ts';
import { createRandom } from './random.ts';

/** The parts of a company carry no flag of their own. */
const companyParts = ({ Name, Address, Country, PhoneNumber, Email }: Company) => ({
  Name: unflagged(text(Name)),
  Address: unflagged(text(Address)),
  Country: unflagged(word(Country)),
  PhoneNumber: unflagged(text(PhoneNumber)),
  Email: unflagged(text(Email)),
});

export function company(details: Company, submitterID?: string): Content {
  return flaggedGroup(companyParts(details), submitterID === undefined ? {} : { submitterID });
}

/** The submitter of a product. One in eight enterers is an empty company, which the format allows. */
export function submitter({ random, plan }: Context): Content {
  const hasParent = random.chance(0.4);
  const affiliates = random.chance(0.5) ? random.sample(COMPANIES, random.int(1, 6)) : [];
  const hasEnterer = random.chance(0.3);
  const saysRepresentative = random.chance(0.6);
  const hasRepresentative = saysRepresentative && random.chance(0.4);
  const any = () => company(random.pick(COMPANIES), random.digits(5));
  return flaggedGroup(
    {
      SubmitterType: unflagged(word(random.pick(['MANUFACTURER', 'IMPORTER']))),
      HasParent: unflagged(boolean(hasParent)),
      Parent: hasParent && any(),
      HasAffiliates: unflagged(boolean(affiliates.length > 0)),
      Affiliates:
        affiliates.length > 0 &&
        list(
          'Affiliate',
          affiliates.map((one) => company(one)),
        ),
      HasEnterer: unflagged(boolean(hasEnterer)),
      Enterer: hasEnterer && (random.chance(0.125) ? flaggedGroup({}) : any()),
      HasNaturalLegalRepresentative: saysRepresentative && boolean(hasRepresentative),
      NaturalLegalRepresentative: hasRepresentative && company(random.pick(COMPANIES)),
    },
    { submitterID: plan.submitterId },
  );
}

export function manufacturers({ random }: Context): Content {
  const makers = random.sample(COMPANIES, random.int(1, 3)).map((maker) => {
    const withContact = random.chance(0.5);
    const sites = random.sample(COMPANIES, random.int(1, 2)).map((site) => {
      const { Name: _, PhoneNumber, Email, ...place } = companyParts(site);
      return flaggedGroup(withContact ? { ...place, PhoneNumber, Email } : place);
    });
    return flaggedGroup(
      { ...companyParts(maker), ProductionSiteAddresses: list('ProductionSiteAddress', sites) },
      random.chance(0.2) ? { submitterID: random.digits(5) } : {},
    );
  });
  return list('Manufacturer', makers);
}

/** The root element of a submitter file. It depends on the submitter ID only, not on the seed. */
export function submitterDetails(submitterId: string): XmlNode {
  const random = createRandom('submitter', submitterId);
  const details = random.pick(COMPANIES);
  const hasVatNumber = random.chance(0.8);
  const { Name, ...others } = companyParts(details);
  const root = group({
    SubmitterID: unflagged(text(submitterId)),
    Name,
    // A small or medium-sized enterprise.
    Sme: unflagged(boolean(random.chance(0.5))),
    HasVatNumber: unflagged(boolean(hasVatNumber)),
    VatNumber: hasVatNumber && unflagged(text(`${details.Country}${random.digits(9)}`)),
    ...others,
  });
  return named('SubmitterDetails', root);
}
