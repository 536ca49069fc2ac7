/** `Ingredients` and `Emissions` of an e-liquid, and references to other products (package format §3). */
import { type Context, dayOf, quantity } from './context.ts';
import { BRANDS, EMISSIONS, FLAVOURS, RARE_CATEGORIES, SUBSTANCES } from './data.ts';
import {
  boolean,
  type Content,
  code,
  date,
  double,
  group,
  list,
  references,
  text,
  unflagged,
  word,
} from './nodes.ts';
import { type Random, uuidOf } from './random.ts';

type Substance = (typeof SUBSTANCES)[number];

/**
 * Number of substances per recipe, usual functions (package format §4) and power of ten of the usual quantity in mg per unit, for
 * each role.
 */
const ROLES: Readonly<Record<string, { count: [number, number]; functions: number[]; magnitude: number }>> = {
  carrier: { count: [2, 2], functions: [4, 13, 17, 20], magnitude: 3 },
  nicotine: { count: [0, 2], functions: [1], magnitude: 2 },
  flavour: { count: [0, 9], functions: [12], magnitude: 1 },
  cooling: { count: [0, 2], functions: [12], magnitude: 0 },
  acid: { count: [0, 2], functions: [14], magnitude: 1 },
  sweetener: { count: [0, 1], functions: [12], magnitude: -1 },
  other: { count: [0, 2], functions: [4, 16, 17, 25], magnitude: 0 },
};

const OTHER_FUNCTION = 26;

export function ingredients(context: Context): Content {
  const { random } = context;
  const recipe = Object.entries(ROLES).flatMap(([role, { count }]) =>
    random.sample(
      SUBSTANCES.filter((substance) => substance.role === role),
      random.int(...count),
    ),
  );
  return list(
    'Ingredient',
    recipe.map((substance) => ingredient(context, substance)),
  );
}

function ingredient(context: Context, substance: Substance): Content {
  const { random, plan } = context;
  const { functions = [], magnitude = 0 } = ROLES[substance.role] ?? {};
  const usual = random.sample(functions, random.int(1, 2));
  const itsFunctions = random.chance(0.15) ? [...new Set([...usual, random.int(1, OTHER_FUNCTION)])] : usual;
  const clp = random.chance(0.03) ? random.pick(RARE_CATEGORIES) : substance.clp;
  const hasTemplate = random.chance(0.15);
  const optional = (value: string) => value !== '' && text(value);
  return group({
    TemplateID: hasTemplate && unflagged(text(uuidOf(plan.seed, 'template', substance.cas))),
    TemplateIDUpdate: hasTemplate && date(dayOf(random, plan.year - 1)),
    Name: text(substance.name),
    CasNumberExists: random.chance(0.9) && boolean(true),
    CasNumber: text(substance.cas),
    AdditionalCasNumbers: random.chance(0.08) && mixture(random),
    FemaNumber: optional(substance.fema),
    AdditiveNumber: optional(substance.additive),
    FlNumber: optional(substance.fl),
    EcNumber: optional(substance.ec),
    OtherNumber: random.chance(0.05) && text(`JECFA ${random.int(1, 2200)}`),
    RecipeQuantity: double(quantity(random, magnitude)),
    Functions: list('Function', itsFunctions.map(code)),
    FunctionOther: itsFunctions.includes(OTHER_FUNCTION) && text(random.pick(['Stabiliser', 'Aroma-Träger'])),
    ToxicityStatus: code(clp === '' ? random.int(0, 1) : 2),
    ...random.pick([
      { ReachRegistration: word(random.pick(['NOT_YET_REGISTERED', 'EXEMPTED'])) },
      { ReachRegistrationNumber: text(`01-21194${random.digits(5)}-${random.digits(2)}-0000`) },
      {},
    ]),
    ClpWhetherClassification: random.chance(0.9) && boolean(clp !== ''),
    ...hazards(clp),
    ToxicologicalDetails: toxicologicalDetails(context),
    IdentificationRefillContainerCartridge:
      random.chance(0.3) && text(random.pick(['N/A', 'Pod 1 & 2', '10 ml, LDPE', 'Cartridge "A"'])),
  });
}

/** The tables name the categories in the order of the schema. */
function hazards(clp: string): Record<string, Content> {
  const categories = clp.split(' ').filter(Boolean);
  return Object.fromEntries(
    categories.flatMap((each) => {
      const [name = '', category = ''] = each.split('=');
      const element: [string, Content] = [`Clp${name}`, word(category)];
      return name === 'Stot'
        ? [element, ['ClpStotDescription', text('Lungs, H372 & H335; Schleimhäute.')]]
        : [element];
    }),
  );
}

function mixture(random: Random): Content {
  return list(
    'CasNumber',
    random.sample(SUBSTANCES, random.int(1, 10)).map(({ cas }) => text(cas)),
  );
}

/** Studies are attached where data are available on a matter. */
function toxicologicalDetails({ random, attachSome }: Context): Content {
  const available = random.int(1, 3);
  const matters = ['ToxEmission', 'ToxCmr', 'ToxCardioPulmonary', 'ToxAddictive', 'ToxOther'];
  const known = available === 1 ? [] : random.sample(matters, random.int(1, 4));
  return group({
    ToxicologicalDataAvailable: code(available),
    ...Object.fromEntries(matters.map((matter) => [matter, boolean(known.includes(matter))])),
    ...Object.fromEntries(known.map((matter) => [`${matter}Files`, references(attachSome(1, 2))])),
  });
}

/** Most reports cover only a part of the list: the substances that the laboratory could measure. */
export function emissions(context: Context): Content {
  const { random, attachSome } = context;
  const measured = random.chance(0.25) ? EMISSIONS : random.sample(EMISSIONS, random.int(4, 20));
  return list(
    'Emission',
    measured.map((one) =>
      group({
        CasNumber: one.cas !== '' && random.chance(0.8) && text(one.cas),
        IupacName: one.iupac !== '' && random.chance(0.8) && text(one.iupac),
        Quantity: double(random.chance(0.2) ? '0' : quantity(random, Number(one.magnitude))),
        Unit: text(one.unit),
        MethodsFile: references(attachSome(1, 2)),
        AdditionalProducts: random.chance(0.05) && identifications(context, 1),
        ProductCombination:
          random.chance(0.1) && text(random.pick(['Pod + coil 1.2 Ω', '15 W & PG/VG 50:50'])),
        Name: code(Number(one.code)),
        NameOther: one.other !== '' && text(one.other),
      }),
    ),
  );
}

/** Other products, by their ID or in words. */
export function identifications({ random, plan }: Context, most: number): Content {
  const one = () => {
    const byId = random.chance(0.6);
    const inWords = `${random.pick(BRANDS)} / ${random.pick(FLAVOURS)} (BE, ${random.pick(['ES', 'EL', 'RO'])})`;
    const id = `${plan.submitterId}-${random.int(16, plan.year % 100)}-${random.digits(5)}`;
    return { ...text(byId ? id : inWords), attributes: { type: byId ? 'PRODUCT_ID' : 'TEXT' } };
  };
  return list('ProductIdentification', Array.from({ length: random.int(1, most) }, one));
}
