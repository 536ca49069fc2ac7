/**
 * Rules that the schema states in prose or by name but does not enforce (package format §3). Published
 * files break them, so each gives a warning.
 */
import { OTHER_EMISSION, OTHER_FUNCTION } from './code-lists.ts';
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
  wanted(details.OtherProductsExist?.value, details.OtherProducts, product, 'OtherProducts');
  wanted(
    details.SameCompositionProductsExist?.value,
    details.SameCompositionProducts,
    product,
    'SameCompositionProducts',
  );
  Presentations.forEach((presentation, index) => {
    const place = product.below('Presentations').below('Presentation', index + 1);
    wanted(
      presentation.BrandSubtypeNameExists?.value,
      presentation.BrandSubtypeName,
      place,
      'BrandSubtypeName',
    );
    wanted(presentation.WithdrawalIndication?.value, presentation.WithdrawalDate, place, 'WithdrawalDate');
  });
  Ingredients.forEach((ingredient, index) => {
    const place = product.below('Ingredients').below('Ingredient', index + 1);
    wanted(ingredient.CasNumberExists?.value, ingredient.CasNumber, place, 'CasNumber');
    const other = ingredient.Functions?.some(({ value }) => value === OTHER_FUNCTION);
    wanted(other, ingredient.FunctionOther, place, 'FunctionOther');
    if (ingredient.ReachRegistration && ingredient.ReachRegistrationNumber) {
      place.warn('has both ReachRegistration and ReachRegistrationNumber; at most one is allowed');
    }
  });
  Emissions.forEach((emission, index) => {
    const place = product.below('Emissions').below('Emission', index + 1);
    wanted(emission.Name?.value === OTHER_EMISSION, emission.NameOther, place, 'NameOther');
  });
}

function checkSubmitter({ Submitter: submitter }: EcigProductSubmission, place: Place): void {
  wanted(submitter.HasParent, submitter.Parent, place, 'Parent');
  wanted(submitter.HasAffiliates, submitter.Affiliates, place, 'Affiliates');
  wanted(submitter.HasEnterer, submitter.Enterer, place, 'Enterer');
  wanted(
    submitter.HasNaturalLegalRepresentative?.value,
    submitter.NaturalLegalRepresentative,
    place,
    'NaturalLegalRepresentative',
  );
  if (submitter.submitterID === undefined) place.warn('has no attribute submitterID');
}

function wanted(indicated: unknown, value: unknown, place: Place, name: string): void {
  if (indicated === true && value === undefined)
    place.below(name).warn('is missing, but another field requires it');
}
