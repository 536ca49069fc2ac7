/** `Ingredients` of an e-liquid (package format §3). */
import { SUBSTANCES, type Substance, type SubstanceRole } from '../data/substances.ts';
import { type Random, uuidOf } from '../random.ts';
import { group, list, plain, references, type XmlGroup, type XmlNode } from '../xml/nodes.ts';
import type { ProductContext } from './context.ts';
import { dayOf, quantity } from './quantities.ts';

const OTHER_FUNCTION = 26;
const ALL_FUNCTIONS = Array.from({ length: OTHER_FUNCTION }, (_, index) => index + 1);

/** Order of magnitude of the quantity in mg per unit, as a power of ten. */
const MAGNITUDES: Readonly<Record<SubstanceRole, number>> = {
  carrier: 3,
  nicotine: 2,
  flavour: 1,
  cooling: 0,
  acid: 1,
  sweetener: -1,
  other: 0,
};

/** In the order of the schema. */
const CLP_ELEMENTS = [
  'AcuteToxOral',
  'AcuteToxDermal',
  'AcuteToxInhalation',
  'SkinCorrosiveIrritant',
  'EyeDamageIrritation',
  'RespiratorySensitisation',
  'SkinSensitisation',
  'MutagenGenotox',
  'Carcinogenicity',
  'ReproductiveTox',
  'Stot',
  'AspirationTox',
];

/** Categories that no usual ingredient has: now and then a mixture is reported with them. */
const RARE_CATEGORIES: readonly Readonly<Record<string, string>>[] = [
  { RespiratorySensitisation: '1', MutagenGenotox: '2' },
  { Carcinogenicity: '1B', MutagenGenotox: '1A' },
  { ReproductiveTox: '1A_lact', Carcinogenicity: '2' },
  { ReproductiveTox: 'lact', Stot: '2' },
  { ReproductiveTox: '2_lact', SkinSensitisation: '1' },
  { SkinCorrosiveIrritant: '1C', AcuteToxInhalation: '1', ReproductiveTox: '1B_lact' },
];

export function ingredients(context: ProductContext): XmlGroup {
  const { random } = context;
  const of = (role: SubstanceRole) => SUBSTANCES.filter((substance) => substance.role === role);
  const recipe = [
    ...of('carrier').slice(0, 2),
    ...random.sample(
      of('nicotine'),
      random.weighted([
        [0, 20],
        [1, 70],
        [2, 10],
      ]),
    ),
    ...random.sample(of('flavour'), random.int(0, 9)),
    ...random.sample(of('cooling'), random.int(0, 2)),
    ...random.sample(of('acid'), random.int(0, 2)),
    ...random.sample(of('sweetener'), random.int(0, 1)),
    ...random.sample(of('other'), random.int(0, 2)),
  ];
  return list(
    'Ingredients',
    recipe.map((substance) => ingredient(context, substance)),
  );
}

function ingredient(context: ProductContext, substance: Substance): XmlGroup {
  const { random, plan, text, boolean, double, code, date } = context;
  const functions = functionsOf(random, substance);
  const clp = random.chance(0.03) ? random.pick(RARE_CATEGORIES) : substance.clp;
  const saysCas = random.chance(0.9);
  const hasTemplate = random.chance(0.15);
  return group('Ingredient', [
    hasTemplate && plain('text', 'TemplateID', uuidOf(plan.seed, 'template', substance.cas)),
    hasTemplate && date('TemplateIDUpdate', dayOf(random, plan.year - 1)),
    text('Name', substance.name),
    saysCas && boolean('CasNumberExists', true),
    text('CasNumber', substance.cas),
    random.chance(0.08) && additionalCasNumbers(context),
    substance.fema !== undefined && text('FemaNumber', substance.fema),
    substance.additive !== undefined && text('AdditiveNumber', substance.additive),
    substance.fl !== undefined && text('FlNumber', substance.fl),
    substance.ec !== undefined && text('EcNumber', substance.ec),
    random.chance(0.05) && text('OtherNumber', `JECFA ${random.int(1, 2200)}`),
    double('RecipeQuantity', quantity(random, MAGNITUDES[substance.role])),
    list(
      'Functions',
      functions.map((value) => code('Function', value)),
    ),
    functions.includes(OTHER_FUNCTION) &&
      text('FunctionOther', random.pick(['Stabiliser', 'Aroma-Träger', 'Chelating agent'])),
    code('ToxicityStatus', clp ? 2 : random.int(0, 1)),
    reachRegistration(context),
    random.chance(0.9) && boolean('ClpWhetherClassification', clp !== undefined),
    ...(clp ? clpCodes(context, clp) : []),
    toxicologicalDetails(context),
    random.chance(0.3) &&
      text(
        'IdentificationRefillContainerCartridge',
        random.pick(['N/A', 'Pod 1 & 2', '10 ml, LDPE', 'Cartridge "A"']),
      ),
  ]);
}

/** Mostly what the substance is for; now and then any other of the list. */
function functionsOf(random: Random, substance: Substance): number[] {
  const usual = random.sample(substance.functions, random.int(1, 2));
  return random.chance(0.15) ? [...new Set([...usual, random.pick(ALL_FUNCTIONS)])] : usual;
}

/** Of a mixture: one to ten. */
function additionalCasNumbers({ random, text }: ProductContext): XmlGroup {
  return list(
    'AdditionalCasNumbers',
    random.sample(SUBSTANCES, random.int(1, 10)).map(({ cas }) => text('CasNumber', cas)),
  );
}

/** One of the two, or neither. */
function reachRegistration({ random, word, text }: ProductContext): XmlNode | undefined {
  return random.weighted([
    [word('ReachRegistration', random.pick(['NOT_YET_REGISTERED', 'EXEMPTED'])), 4],
    [text('ReachRegistrationNumber', `01-21194${random.digits(5)}-${random.digits(2)}-0000`), 4],
    [undefined, 2],
  ]);
}

function clpCodes({ word, text }: ProductContext, clp: Readonly<Record<string, string>>): XmlNode[] {
  return CLP_ELEMENTS.flatMap((name) => {
    const category = clp[name];
    if (category === undefined) return [];
    const element = word(`Clp${name}`, category);
    return name === 'Stot'
      ? [element, text('ClpStotDescription', 'Lungs (inhalation), H372 & H335; Schleimhäute.')]
      : [element];
  });
}

/** Studies are attached where data are available on a matter. */
function toxicologicalDetails({ random, boolean, code, attach }: ProductContext): XmlGroup {
  const available = random.int(1, 3);
  const matters = ['ToxEmission', 'ToxCmr', 'ToxCardioPulmonary', 'ToxAddictive', 'ToxOther'];
  const known = new Set(available === 1 ? [] : random.sample(matters, random.int(1, 4)));
  return group('ToxicologicalDetails', [
    code('ToxicologicalDataAvailable', available),
    ...matters.map((matter) => boolean(matter, known.has(matter))),
    ...matters
      .filter((matter) => known.has(matter))
      .map((matter) => references(`${matter}Files`, Array.from({ length: random.int(1, 2) }, attach))),
  ]);
}
