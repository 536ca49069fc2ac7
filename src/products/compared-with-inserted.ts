/** Differences of a product from its last inserted submission, for the checks of products (history-checks.ts). */
import { PRODUCT_ID_PATTERN } from '../contract/limits.ts';
import type { InsertStep } from '../contract/steps.ts';
import {
  type InsertedBefore,
  type ParsedProduct,
  type PresentationFields,
  submitterOf,
} from '../domain/product.ts';
import type { EcigProduct, EcigProductSubmission } from './schema/ecig-product.ts';
import type { Leaf } from './schema/leaves.ts';

/** Codes of submission types (package format §4). */
export const TYPE = {
  newProduct: 1,
  modifiedProduct: 2,
  addedPresentation: 3,
  removedPresentation: 4,
  otherUpdate: 5,
  annualData: 6,
} as const;

/** Earlier submissions of a product, and of the one that it modifies. */
export interface History {
  inserted: InsertedBefore | null;
  /** Whether its newest submission waits or is being inserted. */
  underWay: boolean;
  /** Whether the product of `PreviousProductID` was inserted or is under way. */
  isPreviousKnown: boolean;
  /** Sections that differ from the inserted ones, without the one that names the submission type. */
  changed: readonly InsertStep[];
}

/** The product beside its history. The last four are empty if the inserted presentations are not known. */
export interface Compared extends History {
  productId: string;
  type: Leaf<string>;
  typeCode: number | null;
  previous: Leaf<string> | undefined;
  /** Whether `previous` may be looked up. */
  isPreviousOurs: boolean;
  presentations: EcigProduct['Presentations'];
  /** Positions of the presentations that were not inserted. */
  added: number[];
  /** Positions of those that are withdrawn, and were not. */
  withdrawn: number[];
  /** Positions of those that were withdrawn, and no longer are. */
  returned: number[];
  /** Inserted presentations that are missing, without those that were withdrawn. */
  vanished: PresentationFields[];
}

export function compareWithInserted(product: ParsedProduct, history: History): Compared {
  const { SubmissionType: type, PreviousProductID: previous } = headOf(product);
  const { Presentations: presentations } = sectionOf<Pick<EcigProduct, 'Presentations'>>(
    product,
    'product_presentation',
  );
  const before = new Map(history.inserted?.presentations?.map((one) => [identityOf(one), one]));
  const identities = history.inserted?.presentations ? presentations.map(identityOf) : [];
  const positions = (isSuch: (isNow: boolean, was: boolean | null) => boolean): number[] =>
    identities.flatMap((identity, position) => {
      const earlier = before.get(identity);
      const isNow = isWithdrawn(presentations[position] ?? {});
      return isSuch(isNow, earlier === undefined ? null : isWithdrawn(earlier)) ? position : [];
    });
  const remaining = new Set(identities);
  return {
    ...history,
    productId: product.productId,
    type,
    typeCode: product.submissionTypeCode,
    previous,
    isPreviousOurs: previousProductOf(product).length > 0,
    presentations,
    added: positions((_isNow, was) => was === null),
    withdrawn: positions((isNow, was) => isNow && was === false),
    returned: positions((isNow, was) => !isNow && was === true),
    vanished: [...before].flatMap(([identity, one]) =>
      remaining.has(identity) || isWithdrawn(one) ? [] : one,
    ),
  };
}

/**
 * The product that a substantial modification replaces, if it may be looked up: another one of the same submitter. So an
 * answer reveals nothing about products of others (decision §imports-have-an-owner).
 */
export function previousProductOf(product: ParsedProduct): string[] {
  if (product.submissionTypeCode !== TYPE.modifiedProduct) return [];
  const previous = headOf(product).PreviousProductID?.value ?? '';
  const isOther = PRODUCT_ID_PATTERN.test(previous) && previous !== product.productId;
  return isOther && submitterOf(previous) === submitterOf(product.productId) ? [previous] : [];
}

/** The fields by which a presentation is known. */
export function identifyingFields(presentation: PresentationFields) {
  const { NationalMarket, BrandName, BrandSubtypeName, ProductNumber } = presentation;
  return [NationalMarket, BrandName, BrandSubtypeName, ProductNumber];
}

/** Equal for two presentations with the same identifying fields. */
export const identityOf = (presentation: PresentationFields): string =>
  JSON.stringify(identifyingFields(presentation).map((field) => field?.value ?? null));

const isWithdrawn = ({ WithdrawalIndication }: PresentationFields): boolean =>
  WithdrawalIndication?.value === true;

type Head = Pick<EcigProductSubmission, 'SubmissionType'> & Pick<EcigProduct, 'PreviousProductID'>;

const headOf = (product: ParsedProduct): Head => sectionOf<Head>(product, 'init_validate');

/** A section in the form that `sectionsOf` gave it. */
const sectionOf = <Section>({ sections }: ParsedProduct, step: InsertStep): Section =>
  sections[step] as Section;
