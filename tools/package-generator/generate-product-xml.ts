/** Single product files, for tests of the reader. */
import { FILE_FAULTS, type FileFault, type FileFaultName } from './file-faults.ts';
import { type PackageOptions, resolveOptions } from './options.ts';
import { planFile } from './plan.ts';
import { type Expectation, expectationOf, writeProduct } from './product-file.ts';
import { requireCompatible, type StyleName } from './xml/styles.ts';

export interface ProductXmlOptions extends Pick<PackageOptions, 'seed' | 'submitterId' | 'year' | 'on'> {
  /** Position in its package, from 0: other content for the same seed. Default 0. */
  ordinal?: number;
  /** Default: made of submitter ID, year and ordinal. */
  productId?: string;
  /** Code of the product type, 1–9. */
  productType?: number;
  /** Code of the submission type, 1–7. */
  submissionType?: number;
  /** Writing styles; none for plain XML. */
  styles?: readonly StyleName[];
  fault?: FileFaultName;
  /** Which variant of the fault; by default one is chosen. */
  variant?: string;
  /** Attachments to refer to. */
  attachmentIds?: readonly string[];
}

export interface GeneratedProductXml {
  bytes: Buffer;
  expectation: Expectation;
}

/**
 * One product file, the same for the same options.
 *
 * @throws RangeError for options that make no sense, e.g. styles that exclude one another
 */
export function generateProductXml(options: ProductXmlOptions = {}): GeneratedProductXml {
  const { ordinal = 0, attachmentIds = [], fault = null, productId, productType, submissionType } = options;
  const { seed, submitterId, year, on } = options;
  const resolved = resolveOptions({
    ...(seed !== undefined && { seed }),
    ...(submitterId !== undefined && { submitterId }),
    ...(year !== undefined && { year }),
    ...(on !== undefined && { on }),
  });
  const planned = {
    ...planFile(resolved, attachmentIds, ordinal, fault),
    ...(productId !== undefined && { productId }),
    ...(productType !== undefined && { productType }),
    ...(submissionType !== undefined && { submissionType }),
    ...(options.variant !== undefined && { variant: options.variant }),
    styles: requireCompatible(options.styles ?? [], 'refuse'),
  };
  requireFitting(planned.fault, planned.variant, planned.styles);
  return { bytes: writeProduct(planned), expectation: expectationOf(planned) };
}

function requireFitting(name: FileFaultName | null, variant: string, styles: readonly StyleName[]): void {
  const fault: FileFault | null = name === null ? null : FILE_FAULTS[name];
  if (fault?.spoil && styles.length > 0)
    throw new RangeError(`A file with the fault ${name} is always plain`);
  if (fault?.variants && !fault.variants.includes(variant))
    throw new RangeError(
      `The fault ${name} has no variant "${variant}"; there are ${fault.variants.join(', ')}`,
    );
}
