/** A whole `EcigProductSubmission`, valid against the official schema, and a small `TobaccoProductSubmission`. */
import { manufacturers, submitter } from './companies.ts';
import { emissions, identifications, ingredients } from './contents.ts';
import { type Context, createContext, dayOf, measure, type ProductPlan, tradeItemNumber } from './context.ts';
import { BATTERIES, BODIES, CLASSIFICATIONS, COILS, DETAILS, DEVICES, GENERAL_COMMENTS } from './data.ts';
import {
  boolean,
  type Content,
  code,
  date,
  double,
  group,
  integer,
  list,
  named,
  type Parts,
  reference,
  references,
  text,
  walk,
  word,
  type XmlNode,
} from './nodes.ts';
import { presentations } from './presentations.ts';

const SUBSTANTIAL_MODIFICATION = 2;
const REFILLABLE = [4, 5, 7, 8];
const REFILL_CONTAINER = 7;
const TOBACCO_TYPES = 12;

/** Elements that submitters like to keep confidential. A product keeps some of them. */
const OFTEN_SECRET = (
  'RecipeQuantity SalesVolume Year CoilComposition Quantity IdentificationRefillContainerCartridge OtherProductsExist ' +
  'SameCompositionProductsExist ProductIdentification ClpClassification GeneralComment BatteryType ' +
  'ReachRegistrationNumber TemplateIDUpdate'
).split(' ');

/** The document of a product. The same plan gives the same document. */
export function ecigProductSubmission(plan: ProductPlan): XmlNode {
  const context = createContext(plan);
  const { random } = context;
  const root = group({
    Submitter: submitter(context),
    SubmissionType: code(plan.submissionType),
    GeneralComment: random.chance(0.6) && text(random.pick(GENERAL_COMMENTS)),
    Product: product(context),
  });
  return withFlags(named('EcigProductSubmission', root), context);
}

function withFlags(root: XmlNode, { random }: Context): XmlNode {
  const secret = random.sample(OFTEN_SECRET, random.int(0, OFTEN_SECRET.length));
  for (const node of walk(root)) {
    if (!node.flagged) continue;
    const confidential = node.form === 'group' ? random.chance(0.15) : secret.includes(node.name);
    node.attributes = { confidential: String(confidential), ...node.attributes };
  }
  return root;
}

function product(context: Context): Content {
  const { random, plan, attachSome, holdsLiquid } = context;
  const others = random.chance(0.2);
  const sameComposition = holdsLiquid && random.chance(0.3);
  return group({
    ProductID: text(plan.productId),
    PreviousProductID: plan.submissionType === SUBSTANTIAL_MODIFICATION && text(previousProductId(context)),
    OtherProductsExist: boolean(others),
    OtherProducts: others && identifications(context, 4),
    SameCompositionProductsExist: boolean(sameComposition),
    SameCompositionProducts: sameComposition && identifications(context, 4),
    Manufacturers: random.chance(0.7) && manufacturers(context),
    MarketResearchFiles: random.chance(0.3) && references(attachSome(1, 3)),
    ProductType: code(plan.productType),
    Weight: holdsLiquid && double(measure(random, 900, 12_000, 3)),
    Volume: holdsLiquid && double(measure(random, 0.8, 10, 1)),
    ClpClassification: holdsLiquid && random.chance(0.6) && text(random.pick(CLASSIFICATIONS)),
    StudySummaryFiles: random.chance(0.3) && references(attachSome(1, 2)),
    Presentations: presentations(context),
    Ingredients: holdsLiquid && ingredients(context),
    Emissions: holdsLiquid && emissions(context),
    Design: design(context),
  });
}

/** The same running number of an earlier year. */
function previousProductId({ plan, random }: Context): string {
  const [submitterId, year, number] = plan.productId.split('-');
  const earlier = Math.max(16, Number(year) - random.int(1, 3));
  return `${submitterId}-${String(earlier).padStart(2, '0')}-${number}`;
}

function design(context: Context): Content {
  const { random, attach, holdsLiquid, hasCoil, hasBattery, plan } = context;
  const capacity = measure(random, 0.5, plan.productType === REFILL_CONTAINER ? 10 : 2, 2);
  const opens = REFILLABLE.includes(plan.productType) && random.chance(0.7);
  const details = random.sample(DETAILS, random.int(0, DETAILS.length));
  const description = [`${BODIES[plan.productType - 1]}.`, ...details].join(random.chance(0.3) ? '\n' : ' ');
  return group({
    Description: text(description),
    IdentificationEcigDevice: random.chance(0.5) && text(`${random.pick(DEVICES)} ${random.digits(4)}`),
    LiquidVolumeCapacity: random.chance(0.9) && double(capacity),
    NicotineConcentration:
      holdsLiquid && double(random.pick(['0', '3', '6', '12', '16.5', '18', '20', '0.0'])),
    ...(hasBattery && power(context)),
    AirflowAdjustable: hasCoil && random.chance(0.8) && boolean(random.chance(0.5)),
    WickChangeable: hasCoil && random.chance(0.8) && boolean(random.chance(0.5)),
    Microprocessor: hasBattery && boolean(random.chance(0.7)),
    CoilComposition: hasCoil && text(random.pick(COILS)),
    NicotineDoseUptakeFile: holdsLiquid && random.chance(0.5) && reference(attach()),
    ProductionFile: reference(attach()),
    ProductionConformity: boolean(true),
    QualitySafety: boolean(random.chance(0.95)),
    OpeningRefillFile: opens && reference(attach()),
    ChildTamperProof: boolean(random.chance(0.95)),
    HighPurity: holdsLiquid && boolean(true),
    NonRisk: boolean(random.chance(0.95)),
    ConsistentDosing: random.chance(0.7) && boolean(random.chance(0.9)),
    ConsistentDosingMethodsFile: random.chance(0.4) && reference(attach()),
    LeafletFile: random.chance(0.7) && reference(attach()),
    CoilResistance: hasCoil && random.chance(0.8) && double(measure(random, 0.15, 1.8, 2)),
  });
}

/** Battery and adjustable ranges. */
function power({ random }: Context): Parts {
  const adjustable = random.pick([1, 1, 2, 3, 3, 3, 4, 4, 4, 4, 4, 4]);
  const voltage = adjustable === 1 || adjustable === 2;
  const wattage = adjustable === 1 || adjustable === 3;
  return {
    BatteryType: text(random.pick(BATTERIES)),
    BatteryCapacity: double(measure(random, 280, 5000, 0)),
    VoltageWattageAdjustable: code(adjustable),
    Voltage: !voltage && double(measure(random, 3, 4.2, 1)),
    VoltageLowerRange: voltage && double(measure(random, 2.8, 3.3, 1)),
    VoltageUpperRange: voltage && double(measure(random, 3.8, 4.8, 1)),
    Wattage: !wattage && double(measure(random, 6, 15, 1)),
    WattageLowerRange: wattage && double(measure(random, 5, 10, 0)),
    WattageUpperRange: wattage && double(measure(random, 15, 80, 0)),
  };
}

/** Such files come in the same packages and are not imported (package format §7). */
export function tobaccoProductSubmission(plan: ProductPlan): XmlNode {
  const context = createContext(plan);
  const { random } = context;
  const presentation = group({
    NationalMarket: word('DE'),
    BrandName: text('Altstadt Feinschnitt'),
    BrandSubtypeNameExists: boolean(false),
    LaunchDate: date(dayOf(random, plan.year)),
    WithdrawalIndication: boolean(false),
    ProductNumberType: word('EAN'),
    ProductNumber: text(tradeItemNumber(random, 13)),
    PackageType: code(1),
    PackageUnits: integer(20),
    HasOtherMarketData: boolean(false),
  });
  const product = group({
    ProductID: text(plan.productId),
    OtherProductsExist: boolean(false),
    SameCompositionProductsExist: boolean(false),
    ProductType: code(random.int(1, TOBACCO_TYPES)),
    Weight: double(measure(random, 300, 900, 1)),
    Presentations: list('Presentation', [presentation]),
    OtherIngredientsExist: boolean(false),
    OtherEmissionsAvailable: boolean(false),
  });
  const root = group({ Submitter: submitter(context), SubmissionType: code(1), Product: product });
  return withFlags(named('TobaccoProductSubmission', root), context);
}
