/** A product file: its bytes, and what the importer should make of them. */
import { FILE_FAULTS, type FileFault, type FileFaultName, type Outcome } from './file-faults.ts';
import type { PlannedFile } from './plan.ts';
import { type ProductValues, valuesOf } from './product/reading.ts';
import { ecigProductSubmission } from './product/submission.ts';
import { tobaccoProductSubmission } from './product/tobacco.ts';
import { createRandom } from './random.ts';
import { encode } from './xml/encode.ts';
import type { XmlGroup } from './xml/nodes.ts';
import { dropFlags, respell } from './xml/respell.ts';
import { anyWarns, mannerOf, type StyleName } from './xml/styles.ts';
import { writeXml } from './xml/write.ts';

/** What the importer should make of a product file. */
export interface Expectation {
  outcome: Outcome;
  /** As far as the importer can tell it; null where it cannot. */
  productId: string | null;
  /** Null unless the file can be read; also where the submission type is none of the list. */
  productTypeCode: number | null;
  submissionTypeCode: number | null;
  /** What the error, or the reason for skipping, must mention. Not for created products. */
  reason?: RegExp;
  /** Whether the reader of products notes at least one warning. */
  warns: boolean;
  /** What one of the warnings must mention. */
  warning?: RegExp;
  fault: FileFaultName | null;
  styles: readonly StyleName[];
  /** What should be read from the file, made when it is asked for. Only where the file can be read. */
  values?: () => ProductValues;
}

/** The bytes of a planned file. The same plan gives the same bytes. */
export function writeProduct(planned: PlannedFile): Buffer {
  const { seed, ordinal, fileName, styles, variant } = planned;
  const random = createRandom(seed, 'writing', ordinal, fileName);
  const { manner, encoding } = mannerOf(styles);
  const text = writeXml(respell(documentOf(planned), styles, random), manner, random);
  const spoiled = faultOf(planned)?.spoil?.(text, variant) ?? text;
  return typeof spoiled === 'string' ? encode(spoiled, encoding) : spoiled;
}

export function expectationOf(planned: PlannedFile): Expectation {
  const { productId, productType, submissionType, styles, variant, fault: name } = planned;
  const fault = faultOf(planned);
  const outcome = fault?.outcome ?? 'created';
  const readable = outcome === 'created' || fault?.makes === 'duplicate';
  const knownSubmissionType = !variant.startsWith('SubmissionType=');
  return {
    outcome,
    productId: fault?.unidentified ? null : productId,
    productTypeCode: readable ? productType : null,
    submissionTypeCode: readable && knownSubmissionType ? submissionType : null,
    ...(fault?.reason && { reason: fault.reason(variant) }),
    warns: readable && (fault?.warning !== undefined || anyWarns(styles)),
    ...(fault?.warning && { warning: fault.warning(variant) }),
    fault: name,
    styles,
    ...(readable && { values: () => valuesOf(documentOf(planned)) }),
  };
}

export function isTobacco(planned: PlannedFile): boolean {
  return faultOf(planned)?.makes === 'tobacco product in its folder';
}

function faultOf({ fault }: PlannedFile): FileFault | null {
  return fault === null ? null : FILE_FAULTS[fault];
}

/** The document as it is meant to be read. */
function documentOf(planned: PlannedFile): XmlGroup {
  const fault = faultOf(planned);
  const tobacco = fault?.makes?.startsWith('tobacco');
  const submission = tobacco ? tobaccoProductSubmission(planned) : ecigProductSubmission(planned);
  fault?.edit?.(submission, planned.variant, planned);
  if (!planned.styles.includes('missing-flags')) return submission;
  return dropFlags(
    submission,
    createRandom(planned.seed, 'missing flags', planned.ordinal, planned.fileName),
  );
}
