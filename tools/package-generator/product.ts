/** A whole `EcigProductSubmission`, valid against the official schema. */
import { emissions, identifications, ingredients, manufacturers, submitter } from './contents.ts';
import {
  type Context,
  createContext,
  dayOf,
  daysAfter,
  measure,
  type ProductPlan,
  quantity,
  tradeItemNumber,
} from './context.ts';
import {
  BATTERIES,
  BODIES,
  BRANDS,
  COILS,
  COLOURS,
  COMMENTS,
  DETAILS,
  DEVICES,
  FLAVOURS,
  MARKETS,
} from './data.ts';
import {
  boolean,
  type Content,
  date,
  group,
  leaf,
  list,
  named,
  type Parts,
  walk,
  type XmlNode,
} from './document.ts';
import type { Random } from './random.ts';

const REFILL_CONTAINER = 7;
const OPENS_FOR_REFILL = [4, 5, 7, 8];
const SUBSTANTIAL_MODIFICATION = 2;
const PRESENTATION_ADDED = 3;
const WITHDRAWN = 4;
const ANNUAL_DATA = 6;
/** Submission types of products that are launched half a year later; everything else is on the market. */
const NEW_PRODUCTS = [1, 2];

/** Elements that submitters like to keep confidential. A product keeps some of them. */
const OFTEN_SECRET =
  'RecipeQuantity SalesVolume Year CoilComposition Quantity ProductIdentification GeneralComment BatteryType'.split(
    ' ',
  );

/** The document of a product. The same plan gives the same document. */
export function ecigProductSubmission(plan: ProductPlan): XmlNode {
  const context = createContext(plan);
  const { random } = context;
  const root = named(
    'EcigProductSubmission',
    group({
      Submitter: submitter(context),
      SubmissionType: plan.submissionType,
      GeneralComment: random.chance(0.6) && random.pick(COMMENTS),
      Product: product(context),
    }),
  );
  const secret = random.sample(OFTEN_SECRET, random.int(0, OFTEN_SECRET.length));
  for (const node of walk(root)) {
    if (!node.flagged) continue;
    const confidential = node.form === 'group' ? random.chance(0.15) : secret.includes(node.name);
    node.attributes = { confidential: String(confidential), ...node.attributes };
  }
  return root;
}

function product(context: Context): Content {
  const { random, plan, attachSome, hasLiquid } = context;
  const others = random.chance(0.2);
  const sameComposition = hasLiquid && random.chance(0.3);
  return group({
    ProductID: plan.productId,
    PreviousProductID: plan.submissionType === SUBSTANTIAL_MODIFICATION && previousProductId(plan),
    OtherProductsExist: boolean(others),
    OtherProducts: others && identifications(context, 4),
    SameCompositionProductsExist: boolean(sameComposition),
    SameCompositionProducts: sameComposition && identifications(context, 4),
    Manufacturers: random.chance(0.7) && manufacturers(random),
    MarketResearchFiles: random.chance(0.3) && attachSome(3),
    ProductType: plan.productType,
    Weight: hasLiquid && measure(random, 900, 12_000, 3),
    Volume: hasLiquid && measure(random, 0.8, 10, 1),
    ClpClassification: hasLiquid && random.chance(0.6) && 'Acute Tox. 3 (H301 & H311), nicotine < 1.67 %',
    StudySummaryFiles: random.chance(0.3) && attachSome(2),
    Presentations: presentations(context),
    Ingredients: hasLiquid && ingredients(context),
    Emissions: hasLiquid && emissions(context),
    Design: design(context),
  });
}

/** The same running number of the year before. */
function previousProductId({ productId }: ProductPlan): string {
  const [submitterId, year, number] = productId.split('-');
  return `${submitterId}-${String(Math.max(16, Number(year) - 1)).padStart(2, '0')}-${number}`;
}

function presentations(context: Context): Content {
  const { random, plan } = context;
  const fewest = plan.submissionType === PRESENTATION_ADDED ? 2 : 1;
  const count = random.pick([1, 1, 1, random.int(2, 3), random.int(2, 3), random.int(4, 8)]);
  const brand = random.pick(BRANDS);
  const markets = random.sample(MARKETS, Math.max(fewest, count));
  return list(
    'Presentation',
    markets.map((market) => presentation(context, market, brand)),
  );
}

function presentation(context: Context, market: string, brand: string): Content {
  const { random, plan, attach, hasLiquid } = context;
  const isNew = NEW_PRODUCTS.includes(plan.submissionType);
  const since = isNew ? Number(plan.on.slice(0, 4)) + 1 : plan.year + random.int(0, 1);
  const withdrawn = random.chance(plan.submissionType === WITHDRAWN ? 0.8 : 0.1);
  const hasSubtype = random.chance(0.7);
  const hasSales = plan.submissionType === ANNUAL_DATA || random.chance(0.35);
  const [numberType = '', number = ''] = random.pick([
    ['SUBMITTER', random.digits(7)],
    ['UPC', tradeItemNumber(random, 12)],
    ['EAN', tradeItemNumber(random, 13)],
    ['GTIN', tradeItemNumber(random, 14)],
    ['SKU', `SKU-${random.digits(3)}-MNT`],
  ]);
  return group({
    NationalMarket: market,
    NationalComment: random.chance(0.4) && random.pick(COMMENTS),
    BrandName: random.chance(0.5) ? brand : `${brand} ${random.pick(DEVICES)}`,
    BrandSubtypeNameExists: boolean(hasSubtype),
    BrandSubtypeName: hasSubtype && random.pick(hasLiquid ? FLAVOURS : COLOURS),
    LaunchDate: date(isNew ? daysAfter(plan.on, random.int(190, 540)) : dayOf(random, since)),
    WithdrawalIndication: boolean(withdrawn),
    WithdrawalDate: withdrawn && date(dayOf(random, since + 3)),
    ProductNumberType: numberType,
    ProductNumber: number,
    PackageUnits: leaf('integer', random.pick([1, random.int(2, 10), random.int(11, 500)])),
    UnitPacketPictureFile: random.chance(0.6) && attach(),
    AnnualSalesDataList: hasSales && salesData(context, since),
  });
}

/** Sales of the first one to three years. */
function salesData({ random, attach }: Context, since: number): Content {
  const years = Array.from({ length: random.int(1, 3) }, (_, index) =>
    group({
      Year: leaf('year', since + index),
      SalesVolume: random.chance(0.1) ? '0' : quantity(random, random.int(2, 6)),
      SalesMode: random.chance(0.3) && attach(),
    }),
  );
  return list('AnnualSalesData', years);
}

function design(context: Context): Content {
  const { random, attach, hasLiquid, hasCoil, hasBattery, plan } = context;
  const opens = OPENS_FOR_REFILL.includes(plan.productType) && random.chance(0.7);
  const details = random.sample(DETAILS, random.int(0, DETAILS.length));
  return group({
    Description: [`${BODIES[plan.productType - 1]}.`, ...details].join(random.pick(['\n', ' '])),
    IdentificationEcigDevice: random.chance(0.5) && `${random.pick(DEVICES)} ${random.digits(4)}`,
    LiquidVolumeCapacity:
      random.chance(0.9) && measure(random, 0.5, plan.productType === REFILL_CONTAINER ? 10 : 2, 2),
    NicotineConcentration: hasLiquid && random.pick(['0', '3', '6', '12', '16.5', '18', '20', '0.0']),
    ...(hasBattery && power(random)),
    AirflowAdjustable: hasCoil && random.chance(0.8) && boolean(random.chance(0.5)),
    WickChangeable: hasCoil && random.chance(0.8) && boolean(random.chance(0.5)),
    Microprocessor: hasBattery && boolean(random.chance(0.7)),
    CoilComposition: hasCoil && random.pick(COILS),
    NicotineDoseUptakeFile: hasLiquid && random.chance(0.5) && attach(),
    ProductionFile: attach(),
    ProductionConformity: boolean(true),
    QualitySafety: boolean(random.chance(0.95)),
    OpeningRefillFile: opens && attach(),
    ChildTamperProof: boolean(random.chance(0.95)),
    HighPurity: hasLiquid && boolean(true),
    NonRisk: boolean(random.chance(0.95)),
    ConsistentDosing: random.chance(0.7) && boolean(random.chance(0.9)),
    ConsistentDosingMethodsFile: random.chance(0.4) && attach(),
    LeafletFile: random.chance(0.7) && attach(),
    CoilResistance: hasCoil && random.chance(0.8) && measure(random, 0.15, 1.8, 2),
  });
}

/** Battery and adjustable ranges. */
function power(random: Random): Parts {
  const adjustable = random.int(1, 4);
  const voltage = adjustable === 1 || adjustable === 2;
  const wattage = adjustable === 1 || adjustable === 3;
  return {
    BatteryType: random.pick(BATTERIES),
    BatteryCapacity: measure(random, 280, 5000, 0),
    VoltageWattageAdjustable: adjustable,
    Voltage: !voltage && measure(random, 3, 4.2, 1),
    VoltageLowerRange: voltage && measure(random, 2.8, 3.3, 1),
    VoltageUpperRange: voltage && measure(random, 3.8, 4.8, 1),
    Wattage: !wattage && measure(random, 6, 15, 1),
    WattageLowerRange: wattage && measure(random, 5, 10, 0),
    WattageUpperRange: wattage && measure(random, 15, 80, 0),
  };
}
