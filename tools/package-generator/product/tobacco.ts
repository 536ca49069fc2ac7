/** A small `TobaccoProductSubmission`: such files come in the same packages and are not imported (package format §7). */
import { group, list, type XmlGroup } from '../xml/nodes.ts';
import { submitter } from './companies.ts';
import { createContext, type ProductPlan } from './context.ts';
import { dayOf, measure, tradeItemNumber } from './quantities.ts';

const TOBACCO_TYPES = 12;

export function tobaccoProductSubmission(plan: ProductPlan): XmlGroup {
  const context = createContext(plan);
  const { random, text, word, boolean, code, integer, double, date } = context;
  return group('TobaccoProductSubmission', [
    submitter(context),
    code('SubmissionType', 1),
    group('Product', [
      text('ProductID', plan.productId),
      boolean('OtherProductsExist', false),
      boolean('SameCompositionProductsExist', false),
      code('ProductType', random.int(1, TOBACCO_TYPES)),
      double('Weight', measure(random, 300, 900, 1)),
      list('Presentations', [
        group('Presentation', [
          word('NationalMarket', 'DE'),
          text('BrandName', 'Altstadt Feinschnitt'),
          boolean('BrandSubtypeNameExists', false),
          date('LaunchDate', dayOf(random, plan.year)),
          boolean('WithdrawalIndication', false),
          word('ProductNumberType', 'EAN'),
          text('ProductNumber', tradeItemNumber(random, 13)),
          code('PackageType', 1),
          integer('PackageUnits', 20),
          boolean('HasOtherMarketData', false),
        ]),
      ]),
      boolean('OtherIngredientsExist', false),
      boolean('OtherEmissionsAvailable', false),
    ]),
  ]);
}
