/** Parses the bytes of a product file into a product, or into the reasons against it. */
import { hash } from 'node:crypto';
import { ofStructure } from '../contract/commission-codes.ts';
import { plainReason } from '../contract/reasons.ts';
import type { InsertStep } from '../contract/steps.ts';
import type { Reason } from '../contract/types.ts';
import type { ParsedProduct } from '../domain/product.ts';
import { perStep } from '../domain/steps.ts';
import { PRODUCT_TYPES, SUBMISSION_TYPES } from './code-lists.ts';
import { type CheckOptions, checkProduct, today } from './product-checks.ts';
import { checkRules } from './rules.ts';
import { ECIG_ROOT, type EcigProductSubmission, ecigProductSubmission } from './schema/ecig-product.ts';
import { Place } from './schema/reading.ts';
import { attachmentReferences, sectionsOf } from './sections.ts';
import { decodeXml, StructureProblem, xmlProblemOf } from './xml/decode.ts';
import { parseXml } from './xml/tree.ts';

export type ParseResult =
  | { ok: true; product: ParsedProduct; sectionHashes: Record<InsertStep, string> }
  /** Every problem of the first stage that found one: the structure, then the checks of the file alone. */
  | { ok: false; reasons: Reason[]; productId: string | null };

/**
 * Maximum references of a product to attachments, counted once per section. Each is a database row, and genuine
 * products have some tens of them.
 */
const MAX_ATTACHMENT_REFERENCES = 1000;

/**
 * Never throws, whatever the file holds.
 *
 * @param checks by default all warn, and the product is notified today, in UTC
 */
export function parseProduct(bytes: Uint8Array, checks: Partial<CheckOptions> = {}): ParseResult {
  try {
    return parsed(bytes, checks);
  } catch (error) {
    if (error instanceof StructureProblem) return ofWrongStructure([error.reason]);
    return { ok: false, reasons: [xmlProblemOf(error).reason], productId: null };
  }
}

function parsed(bytes: Uint8Array, checks: Partial<CheckOptions>): ParseResult {
  const root = parseXml(decodeXml(bytes), ECIG_ROOT);
  const place = Place.root(ECIG_ROOT);
  const submission = ecigProductSubmission.read(root, place);
  const { problems } = place.findings;
  const productId = submission?.Product?.ProductID?.value ?? null;
  if (submission === undefined || problems.count > 0) return ofWrongStructure(problems.list, productId);
  checkRules(submission, place);
  checkProduct(submission, place, { on: today(), ...checks });
  if (problems.count > 0) return { ok: false, reasons: problems.list, productId };
  const product = productOf(submission, place.findings);
  const references = product.attachments.length;
  if (references > MAX_ATTACHMENT_REFERENCES) {
    const text = `the product refers to ${references} attachments; at most ${MAX_ATTACHMENT_REFERENCES} are accepted`;
    return { ok: false, reasons: [plainReason(text)], productId: product.productId };
  }
  return { ok: true, product, sectionHashes: hashSections(product) };
}

function ofWrongStructure(reasons: Reason[], productId: string | null = null): ParseResult {
  return { ok: false, reasons: reasons.map((reason) => ofStructure('product', reason)), productId };
}

function productOf(
  submission: EcigProductSubmission,
  { origins, warnings }: Place['findings'],
): ParsedProduct {
  const { ProductID, ProductType } = submission.Product;
  const sections = sectionsOf(submission);
  const submissionType = submission.SubmissionType.value;
  return {
    productId: ProductID.value,
    submitterId: submission.Submitter.submitterID ?? null,
    productTypeCode: Number(ProductType.value),
    productType: PRODUCT_TYPES[Number(ProductType.value)] ?? '',
    submissionTypeCode: Object.hasOwn(SUBMISSION_TYPES, submissionType) ? Number(submissionType) : null,
    sections,
    attachments: attachmentReferences(sections, origins),
    warnings: warnings.list,
  };
}

/** SHA-256 of each section. Sections are built in the order of the schema, so equal content gives equal text. */
function hashSections({ sections }: ParsedProduct): Record<InsertStep, string> {
  return perStep((step) => hash('sha256', JSON.stringify(sections[step])));
}
