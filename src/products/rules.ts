/**
 * Rules that the schema states in prose or by name but does not enforce (package format §3). Published
 * files break them, so each gives a warning.
 */
import { OTHER_EMISSION, OTHER_FUNCTION } from './code-lists.ts';
import { presentationPlace } from './product-checks.ts';
import type { EcigProductSubmission } from './schema/ecig-product.ts';
import { type Place, shown } from './schema/reading.ts';

export function checkRules(submission: EcigProductSubmission, root: Place): void {
  checkSubmitter(submission, root.below('Submitter'));
  const product = root.below('Product');
  const { ProductID, Presentations, Ingredients = [], Emissions = [], ...details } = submission.Product;
  const { submitterID } = submission.Submitter;
  if (submitterID !== undefined && !ProductID.value.startsWith(`${submitterID}-`)) {
    product.below('ProductID').warn(`does not begin with the submitter ID ${shown(submitterID, false)}`);
  }
  wanted(details, 'OtherProducts', details.OtherProductsExist?.value, product);
  wanted(details, 'SameCompositionProducts', details.SameCompositionProductsExist?.value, product);
  Presentations.forEach((presentation, index) => {
    const place = presentationPlace(product, index);
    wanted(presentation, 'BrandSubtypeName', presentation.BrandSubtypeNameExists?.value, place);
    wanted(presentation, 'WithdrawalDate', presentation.WithdrawalIndication?.value, place);
  });
  Ingredients.forEach((ingredient, index) => {
    const place = product.below('Ingredients').below('Ingredient', index + 1);
    wanted(ingredient, 'CasNumber', ingredient.CasNumberExists?.value, place);
    const isOther = ingredient.Functions?.some(({ value }) => value === OTHER_FUNCTION);
    wanted(ingredient, 'FunctionOther', isOther, place);
    if (ingredient.ReachRegistration && ingredient.ReachRegistrationNumber) {
      place.warn('has both ReachRegistration and ReachRegistrationNumber; at most one is allowed');
    }
  });
  Emissions.forEach((emission, index) => {
    const place = product.below('Emissions').below('Emission', index + 1);
    wanted(emission, 'NameOther', emission.Name?.value === OTHER_EMISSION, place);
  });
}

function checkSubmitter({ Submitter: submitter }: EcigProductSubmission, place: Place): void {
  wanted(submitter, 'Parent', submitter.HasParent, place);
  wanted(submitter, 'Affiliates', submitter.HasAffiliates, place);
  wanted(submitter, 'Enterer', submitter.HasEnterer, place);
  wanted(submitter, 'NaturalLegalRepresentative', submitter.HasNaturalLegalRepresentative?.value, place);
  if (submitter.submitterID === undefined) place.warn('has no attribute submitterID');
}

/** @param indicated true if another field requires the field. A text that is empty is missing. */
function wanted<T>(fields: T, name: keyof T & string, indicated: unknown, place: Place): void {
  const { value } = (fields[name] ?? { value: '' }) as { value?: unknown };
  if (indicated === true && value === '') place.below(name).warn('is missing, but another field requires it');
}
