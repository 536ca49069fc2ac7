/**
 * Lists within a product: companies, ingredients, emissions, other products (package format §3, §5); the submitter
 * file.
 */
import { type Context, dayOf, quantity } from './context.ts';
import { BRANDS, COMPANIES, type Company, EMISSIONS, FLAVOURS, HAZARDS, SUBSTANCES } from './data.ts';
import {
  boolean,
  type Content,
  date,
  flaggedGroup,
  group,
  list,
  named,
  type Parts,
  unflagged,
  type XmlNode,
} from './document.ts';
import { createRandom, type Random, uuidOf } from './random.ts';

const OTHER_FUNCTION = 26;
const OTHER_EMISSION = 22;

/** The parts of a company carry no flag of their own. */
const company = (details: Partial<Company>, attributes: Record<string, string> = {}): Content =>
  flaggedGroup(unflagged(details), attributes);

/** The submitter of a product. One in eight enterers is an empty company, which the format allows. */
export function submitter({ random, plan }: Context): Content {
  const hasParent = random.chance(0.4);
  const affiliates = random.chance(0.5) ? random.sample(COMPANIES, random.int(1, 6)) : [];
  const hasEnterer = random.chance(0.3);
  const representative = random.pick([undefined, true, false, false]);
  const any = () => company(random.pick(COMPANIES), { submitterID: random.digits(5) });
  return flaggedGroup(
    {
      ...unflagged({
        SubmitterType: random.pick(['MANUFACTURER', 'IMPORTER']),
        HasParent: boolean(hasParent),
      }),
      Parent: hasParent && any(),
      ...unflagged({ HasAffiliates: boolean(affiliates.length > 0) }),
      Affiliates:
        affiliates.length > 0 &&
        list(
          'Affiliate',
          affiliates.map((one) => company(one)),
        ),
      ...unflagged({ HasEnterer: boolean(hasEnterer) }),
      Enterer: hasEnterer && (random.chance(0.125) ? company({}) : any()),
      HasNaturalLegalRepresentative: representative !== undefined && boolean(representative),
      NaturalLegalRepresentative: representative && company(random.pick(COMPANIES)),
    },
    { submitterID: plan.submitterId },
  );
}

export function manufacturers(random: Random): Content {
  const makers = random.sample(COMPANIES, random.int(1, 3)).map((maker) => {
    const sites = random
      .sample(COMPANIES, random.int(1, 2))
      .map(({ Address, Country, PhoneNumber, Email }) =>
        company({ Address, Country, ...random.pick([{ PhoneNumber, Email }, {}]) }),
      );
    return flaggedGroup(
      { ...unflagged(maker), ProductionSiteAddresses: list('ProductionSiteAddress', sites) },
      random.chance(0.2) ? { submitterID: random.digits(5) } : {},
    );
  });
  return list('Manufacturer', makers);
}

/** The root element of a submitter file. It depends on the submitter ID only, not on the seed. */
export function submitterDetails(submitterId: string): XmlNode {
  const random = createRandom('submitter', submitterId);
  const { Name, ...others } = random.pick(COMPANIES);
  const hasVatNumber = random.chance(0.8);
  const parts = {
    SubmitterID: submitterId,
    Name,
    // A small or medium-sized enterprise.
    Sme: boolean(random.chance(0.5)),
    HasVatNumber: boolean(hasVatNumber),
    VatNumber: hasVatNumber && `${others.Country}${random.digits(9)}`,
    ...others,
  };
  return named('SubmitterDetails', group(unflagged(parts)));
}

/** Other products, by their ID or in words. */
export function identifications({ random, plan }: Context, most: number): Content {
  const one = () => {
    const id = `${plan.submitterId}-${random.int(16, plan.year % 100)}-${random.digits(5)}`;
    const inWords = `${random.pick(BRANDS)} / ${random.pick(FLAVOURS)} (BE, ${random.pick(['ES', 'EL', 'RO'])})`;
    const [type = '', value = ''] = random.pick([
      ['PRODUCT_ID', id],
      ['TEXT', inWords],
    ]);
    return { ...named('', value), attributes: { type } };
  };
  return list('ProductIdentification', Array.from({ length: random.int(1, most) }, one));
}

export function ingredients(context: Context): Content {
  const { random } = context;
  const recipe = random.sample(SUBSTANCES, random.int(2, SUBSTANCES.length));
  return list(
    'Ingredient',
    recipe.map((substance) => ingredient(context, substance)),
  );
}

function ingredient(context: Context, substance: (typeof SUBSTANCES)[number]): Content {
  const { random, plan } = context;
  const { functions: usual, magnitude, ...identity } = substance;
  const functions = random.sample(usual.split(' ').map(Number), random.int(1, 2));
  const unusual = random.int(1, OTHER_FUNCTION);
  if (random.chance(0.15) && !functions.includes(unusual)) functions.push(unusual);
  const classified = random.chance(0.4);
  const hasTemplate = random.chance(0.15);
  const known = (number: string) => number !== '' && number;
  return group({
    ...(hasTemplate && unflagged({ TemplateID: uuidOf(plan.seed, 'template', identity.CasNumber) })),
    TemplateIDUpdate: hasTemplate && date(dayOf(random, plan.year - 1)),
    Name: identity.Name,
    CasNumberExists: random.chance(0.9) && boolean(true),
    CasNumber: identity.CasNumber,
    AdditionalCasNumbers: random.chance(0.08) && mixture(random),
    FemaNumber: known(identity.FemaNumber),
    AdditiveNumber: known(identity.AdditiveNumber),
    FlNumber: known(identity.FlNumber),
    EcNumber: known(identity.EcNumber),
    OtherNumber: random.chance(0.05) && `JECFA ${random.int(1, 2200)}`,
    RecipeQuantity: quantity(random, Number(magnitude)),
    Functions: list('Function', functions),
    FunctionOther: functions.includes(OTHER_FUNCTION) && 'Aroma-Träger',
    ToxicityStatus: classified ? 2 : random.int(0, 1),
    ...random.pick<Parts>([
      { ReachRegistration: random.pick(['NOT_YET_REGISTERED', 'EXEMPTED']) },
      { ReachRegistrationNumber: `01-21194${random.digits(5)}-${random.digits(2)}-0000` },
      {},
    ]),
    ClpWhetherClassification: random.chance(0.9) && boolean(classified),
    ...(classified && hazards(random)),
    ToxicologicalDetails: toxicologicalDetails(context),
    IdentificationRefillContainerCartridge: random.chance(0.3) && random.pick(['N/A', 'Pod 1 & "2"']),
  });
}

function hazards(random: Random): Parts {
  const parts = random.sample(Object.entries(HAZARDS), random.int(1, 3)).flatMap(([name, categories]) => {
    const element = [`Clp${name}`, random.pick(categories.split(' '))];
    return name === 'Stot'
      ? [element, ['ClpStotDescription', 'Lungs, H372 & H335; Schleimhäute.']]
      : [element];
  });
  return Object.fromEntries(parts);
}

function mixture(random: Random): Content {
  const others = random.sample(SUBSTANCES, random.int(1, 10));
  return list(
    'CasNumber',
    others.map(({ CasNumber }) => CasNumber),
  );
}

/** Studies are attached where data are available on a matter. */
function toxicologicalDetails({ random, attachSome }: Context): Content {
  const available = random.int(1, 3);
  const matters = ['ToxEmission', 'ToxCmr', 'ToxCardioPulmonary', 'ToxAddictive', 'ToxOther'];
  const known = available === 1 ? [] : random.sample(matters, random.int(1, 4));
  return group({
    ToxicologicalDataAvailable: available,
    ...Object.fromEntries(matters.map((matter) => [matter, boolean(known.includes(matter))])),
    ...Object.fromEntries(known.map((matter) => [`${matter}Files`, attachSome(2)])),
  });
}

/** Most reports cover only a part of the list: the substances that the laboratory could measure. */
export function emissions(context: Context): Content {
  const { random, attachSome } = context;
  const codes = Array.from({ length: OTHER_EMISSION }, (_, index) => index + 1);
  const measured = random.sample(codes, random.int(4, OTHER_EMISSION));
  const emission = (code: number) => {
    const [, cas, name] = /^(\S+) (.*)$/.exec(EMISSIONS[code - 1] ?? '') ?? [];
    return group({
      CasNumber: random.chance(0.8) && cas,
      IupacName: random.chance(0.8) && name,
      Quantity: random.chance(0.2) ? '0' : quantity(random, random.int(-3, 0)),
      Unit: random.pick(['mg/puff', 'µg/puff', 'ng/20 puffs']),
      MethodsFile: attachSome(2),
      AdditionalProducts: random.chance(0.05) && identifications(context, 1),
      ProductCombination: random.chance(0.1) && random.pick(['Pod + coil 1.2 Ω', '15 W & PG/VG 50:50']),
      Name: code,
      NameOther: code === OTHER_EMISSION && 'Total aerosol mass',
    });
  };
  return list('Emission', measured.map(emission));
}
