/**
 * Checks of a product against what the service has inserted of it before (docs/product-checks.md). A finding reveals only
 * what the tenant may know: of another tenant's submission its existence (decision §imports-have-an-owner).
 */
import type { HistoryCheck } from '../contract/product-checks.ts';
import type { ParsedProduct, PresentationFields } from '../domain/product.ts';
import { SUBMISSION_TYPES } from './code-lists.ts';
import {
  type Compared,
  compareWithInserted,
  type History,
  identifyingFields,
  TYPE,
} from './compared-with-inserted.ts';
import { type CheckOptions, finder, given, presentationPlace, today } from './product-checks.ts';
import { ECIG_ROOT } from './schema/ecig-product.ts';
import { type Findings, Place, shown } from './schema/reading.ts';

/** A rule names the place of each finding, and says what was found, what is expected, and which type would fit. */
type Rule = (
  compared: Compared,
  root: Place,
  find: (place: Place, message: string) => void,
  on: string,
) => void;

const RULES: Record<HistoryCheck, Rule> = {
  known_product(compared, root, find) {
    if (!isNew(compared) || compared.inserted === null) return;
    const message = `${given(compared.type)} needs a new product ID, but ${story(compared)}. ${fitting(compared)}`;
    find(root.below('SubmissionType'), message);
  },

  unknown_product({ productId, type, typeCode, inserted, underWay }, root, find) {
    if (typeCode === null || typeCode < TYPE.addedPresentation || inserted !== null || underWay) return;
    const message = `${given(type)} updates a product, but this service has not inserted ${productId}. Unless it was notified by other means: fitting is ${named(TYPE.newProduct)}`;
    find(root.below('SubmissionType'), message);
  },

  previous_product({ productId, typeCode, previous, isPreviousOurs, isPreviousKnown }, root, find) {
    if (typeCode !== TYPE.modifiedProduct) return;
    const place = root.below('Product').below('PreviousProductID');
    const expected = 'expected the ID under which the product was notified before';
    if (previous === undefined) find(place, `is missing, but SubmissionType 2 requires it; ${expected}`);
    else if (previous.value === productId) find(place, `is the product ID itself; ${expected}`);
    else if (isPreviousOurs && !isPreviousKnown)
      find(place, `${given(previous)} was not inserted by this service; ${expected}`);
  },

  added_presentation(compared, root, find) {
    const { type, typeCode, inserted, added } = compared;
    if (typeCode !== TYPE.addedPresentation || !inserted?.presentations || added.length > 0) return;
    const message = `${given(type)} adds no presentation; ${story(compared)}. ${fitting(compared)}`;
    find(root.below('SubmissionType'), message);
  },

  withdrawn_presentation(compared, root, find) {
    const { type, typeCode, inserted, withdrawn, vanished } = compared;
    if (typeCode !== TYPE.removedPresentation || !inserted?.presentations) return;
    if (withdrawn.length + vanished.length > 0) return;
    const message = `${given(type)} withdraws no presentation; ${story(compared)}. ${fitting(compared)}`;
    find(root.below('SubmissionType'), message);
  },

  vanished_presentation(compared, root, find) {
    if (compared.typeCode === TYPE.removedPresentation) return;
    for (const gone of compared.vanished) {
      const message = `lacks ${presentationText(gone)}, which is not withdrawn; ${story(compared)}. Fitting: ${named(TYPE.removedPresentation)}`;
      find(root.below('Product').below('Presentations'), message);
    }
  },

  returned_presentation(compared, root, find) {
    for (const position of compared.returned) {
      const place = presentationPlace(root.below('Product'), position).below('WithdrawalIndication');
      find(
        place,
        `is no longer true, but the presentation was withdrawn; ${story(compared)}. Expected: true`,
      );
    }
  },

  product_id_year(compared, root, find, on) {
    const { productId, inserted } = compared;
    const isFirst = isNew(compared) && inserted === null;
    const year = isFirst ? on.slice(0, 4) : String(inserted?.firstYear ?? '');
    const [, found] = productId.split('-');
    if (year === '' || year.endsWith(String(found))) return;
    const message = `${productId} has the year ${found}, but the first submission is of ${year}; expected ${year.slice(-2)}`;
    find(root.below('Product').below('ProductID'), message);
  },

  annual_data_year({ typeCode, presentations }, root, find, on) {
    if (typeCode !== TYPE.annualData) return;
    const year = on.slice(0, 4);
    presentations.forEach(({ AnnualSalesDataList = [] }, position) => {
      const list = presentationPlace(root.below('Product'), position).below('AnnualSalesDataList');
      AnnualSalesDataList.forEach(({ Year }, at) => {
        if (!Year || !/^\d{4}$/.test(Year.value) || Year.value < year) return;
        const message = `${given(Year)} has not ended; expected at most ${Number(year) - 1}`;
        find(list.below('AnnualSalesData', at + 1).below('Year'), message);
      });
    });
  },
};

/**
 * @param product whose content differs from the inserted one
 * @param options by default all warn, and the product is read today
 */
export function checkHistory(
  product: ParsedProduct,
  history: History,
  { refused = [], on = today() }: Partial<CheckOptions>,
): Findings {
  const root = Place.root(ECIG_ROOT);
  const find = finder({ refused });
  const compared = compareWithInserted(product, history);
  for (const [check, rule] of Object.entries(RULES) as [HistoryCheck, Rule][])
    rule(compared, root, (place, message) => find(check, place, message), on);
  return root.findings;
}

/** Whether the submission type is one for a new product ID. */
const isNew = ({ typeCode }: Compared): boolean =>
  typeCode === TYPE.newProduct || typeCode === TYPE.modifiedProduct;

/** `the product was inserted on 2026-03-03 as case C-1` */
function story({ inserted }: Compared): string {
  const { on = null, caseId = null } = inserted ?? {};
  const when = on === null ? ' already' : ` on ${on}`;
  return `the product was inserted${when}${caseId === null ? '' : ` as case ${caseId}`}`;
}

/** The submission types that the differences suggest. */
function fitting({ presentations, added, withdrawn, vanished, changed }: Compared): string {
  const since = changed.length === 0 ? '' : `Changed since: ${changed.join(', ')}. `;
  if (added.length > 0) return `${since}Fitting: ${named(TYPE.addedPresentation)}`;
  if (withdrawn.length + vanished.length > 0) return `${since}Fitting: ${named(TYPE.removedPresentation)}`;
  const hasSales = presentations.some(({ AnnualSalesDataList = [] }) => AnnualSalesDataList.length > 0);
  if (hasSales && changed.join() === 'product_presentation')
    return `${since}Fitting: ${named(TYPE.annualData)}, or ${named(TYPE.otherUpdate)}`;
  return `${since}Fitting: ${named(TYPE.otherUpdate)}; if the modification is substantial, ${named(TYPE.modifiedProduct)}`;
}

const named = (type: number): string => `type ${type} (${SUBMISSION_TYPES[type]})`;

const presentationText = (presentation: PresentationFields): string =>
  identifyingFields(presentation)
    .flatMap((field) => (field === undefined ? [] : shown(String(field.value), field.confidential)))
    .join(' ');
