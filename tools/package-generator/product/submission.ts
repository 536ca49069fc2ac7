/** A whole `EcigProductSubmission`, valid against the official schema. */
import { GENERAL_COMMENTS } from '../data/brands.ts';
import { group, references, type XmlGroup } from '../xml/nodes.ts';
import { manufacturers, submitter } from './companies.ts';
import { createContext, type ProductContext, type ProductPlan } from './context.ts';
import { design } from './design.ts';
import { emissions } from './emissions.ts';
import { productIdentifications } from './identification.ts';
import { ingredients } from './ingredients.ts';
import { presentations } from './presentations.ts';
import { measure } from './quantities.ts';

const SUBSTANTIAL_MODIFICATION = 2;

/** The document of a product. The same plan gives the same document. */
export function ecigProductSubmission(plan: ProductPlan): XmlGroup {
  const context = createContext(plan);
  const { random, text, code } = context;
  return group('EcigProductSubmission', [
    submitter(context),
    code('SubmissionType', plan.submissionType),
    random.chance(0.6) && text('GeneralComment', random.pick(GENERAL_COMMENTS)),
    product(context),
  ]);
}

function product(context: ProductContext): XmlGroup {
  const { random, plan, attach, holdsLiquid, text, boolean, code, double } = context;
  const others = random.chance(0.2);
  const sameComposition = holdsLiquid && random.chance(0.3);
  return group('Product', [
    text('ProductID', plan.productId),
    plan.submissionType === SUBSTANTIAL_MODIFICATION && text('PreviousProductID', previousProductId(context)),
    boolean('OtherProductsExist', others),
    others && productIdentifications(context, 'OtherProducts'),
    boolean('SameCompositionProductsExist', sameComposition),
    sameComposition && productIdentifications(context, 'SameCompositionProducts'),
    random.chance(0.7) && manufacturers(context),
    random.chance(0.3) && references('MarketResearchFiles', Array.from({ length: random.int(1, 3) }, attach)),
    code('ProductType', plan.productType),
    holdsLiquid && double('Weight', measure(random, 900, 12_000, 3)),
    holdsLiquid && double('Volume', measure(random, 0.8, 10, 1)),
    holdsLiquid && random.chance(0.6) && text('ClpClassification', random.pick(CLASSIFICATIONS)),
    random.chance(0.3) && references('StudySummaryFiles', Array.from({ length: random.int(1, 2) }, attach)),
    presentations(context),
    holdsLiquid && ingredients(context),
    holdsLiquid && emissions(context),
    design(context),
  ]);
}

const CLASSIFICATIONS = [
  'Not classified',
  'Acute Tox. 4 (H302)',
  'Acute Tox. 3 (H301 & H311), contains nicotine < 1.67 %',
  'Hautsens. 1, H317 – enthält Limonen',
];

/** The same running number of an earlier year. */
function previousProductId({ plan, random }: ProductContext): string {
  const [submitterId, year, number] = plan.productId.split('-');
  const earlier = Math.max(16, Number(year) - random.int(1, 3));
  return `${submitterId}-${String(earlier).padStart(2, '0')}-${number}`;
}
