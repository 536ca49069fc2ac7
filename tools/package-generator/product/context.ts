/** What the makers of a product's sections share. */
import { createRandom, type Random, uuidOf } from '../random.ts';
import { type Fields, fieldsOf } from '../xml/fields.ts';

/** What is decided about a product before its file is made. */
export interface ProductPlan {
  seed: number;
  /** Position among the planned files, from 0: with the seed it determines the content. */
  ordinal: number;
  productId: string;
  /** Code of the product type, 1–9 (package format §4). */
  productType: number;
  /** Code of the submission type, 1–7. */
  submissionType: number;
  submitterId: string;
  /** Four digits. */
  year: number;
  /** The day on which the package is made, `YYYY-MM-DD`. */
  on: string;
  /** Attachments to refer to. When there are none, references are to attachments sent earlier. */
  attachmentIds: readonly string[];
}

export interface ProductContext extends Fields {
  plan: ProductPlan;
  random: Random;
  /** The id of an attachment to refer to. */
  attach(): string;
  /** Whether this product holds liquid, draws power, and has a coil: that decides on its sections. */
  holdsLiquid: boolean;
  hasBattery: boolean;
  hasCoil: boolean;
}

const DEVICE_ONLY = new Set([3, 5, 8]);
const WITHOUT_BATTERY = new Set([7, 8]);
const WITHOUT_COIL = new Set([7]);

/** Elements that submitters like to keep confidential. */
const OFTEN_SECRET = [
  'RecipeQuantity',
  'SalesVolume',
  'Year',
  'CoilComposition',
  'Quantity',
  'IdentificationRefillContainerCartridge',
  'OtherProductsExist',
  'SameCompositionProductsExist',
  'ProductIdentification',
  'ClpClassification',
  'GeneralComment',
  'BatteryType',
  'ReachRegistrationNumber',
  'TemplateIDUpdate',
];

/** Of this many attachments one product refers to a few again and again. */
const WORKING_SET = 6;

export function createContext(plan: ProductPlan): ProductContext {
  const random = createRandom(plan.seed, 'product', plan.ordinal);
  const secret = new Set(random.sample(OFTEN_SECRET, random.int(0, OFTEN_SECRET.length)));
  return {
    plan,
    random,
    ...fieldsOf((name) => secret.has(name)),
    attach: attachmentPicker(plan),
    holdsLiquid: !DEVICE_ONLY.has(plan.productType),
    hasBattery: !WITHOUT_BATTERY.has(plan.productType),
    hasCoil: !WITHOUT_COIL.has(plan.productType),
  };
}

/** The first is the product's own turn in the list, so that every attachment is referred to where products suffice. */
function attachmentPicker({ seed, ordinal, attachmentIds }: ProductPlan): () => string {
  const random = createRandom(seed, 'references', ordinal);
  const pool = attachmentIds.length > 0 ? attachmentIds : earlierAttachments(seed);
  const own = pool[ordinal % pool.length] ?? '';
  const others = Array.from({ length: WORKING_SET }, () => random.pick(pool));
  let first = true;
  return () => {
    if (!first) return random.pick(others);
    first = false;
    return own;
  };
}

function earlierAttachments(seed: number): string[] {
  return Array.from({ length: 5 }, (_, index) => uuidOf(seed, 'earlier attachment', index));
}
