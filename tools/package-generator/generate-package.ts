/** Makes packages like those that the export of the XML Creator tool gives (package format §1). */
import type { Readable } from 'node:stream';
import { type Attachment, planAttachments } from './attachments.ts';
import { PACKAGE_FAULTS } from './faults.ts';
import type { Outcome } from './file-faults.ts';
import { litterOf, type OtherFile, secondRoots } from './litter.ts';
import { type PackageOptions, type ResolvedOptions, resolveOptions } from './options.ts';
import { type PlannedFile, planProducts } from './plan.ts';
import { type Expectation, expectationOf, isTobacco, writeProduct } from './product-file.ts';
import { type SubmitterDetails, submitterDetails, writeSubmitter } from './submitter-file.ts';
import { packed, writeStream } from './zip.ts';

export interface ProductFile {
  kind: 'product' | 'tobacco-product';
  /** Path in the archive. */
  path: string;
  content(): Buffer;
  expectation: Expectation;
}

export interface AttachmentFile extends Attachment {
  kind: 'attachment';
  path: string;
}

export interface SubmitterFile {
  kind: 'submitter';
  path: string;
  content(): Buffer;
  details: SubmitterDetails;
}

export type GeneratedFile = ProductFile | AttachmentFile | SubmitterFile | OtherFile;

export interface GeneratedPackage {
  /** Name of the root directory. */
  root: string;
  /** In archive order. Contents are made when they are asked for, and the same every time. */
  files: readonly GeneratedFile[];
  /** What the refusal of the whole package must mention; null when the package is read. */
  refusal: RegExp | null;
  /** What comes of the product files when nothing of the package was imported before. All 0 for a refused one. */
  outcomes: Readonly<Record<Outcome, number>>;
  /** The ZIP, made in constant memory while it is read. */
  toStream(): Readable;
  /** Writes the ZIP. The size is in bytes, the digest hexadecimal. */
  writeTo(path: string): Promise<{ bytes: number; sha256: string }>;
}

/**
 * A package, the same for the same options.
 *
 * @throws RangeError for options that make no sense
 */
export function generatePackage(options: PackageOptions = {}): GeneratedPackage {
  const resolved = resolveOptions(options);
  const files = filesOf(resolved);
  const refusal = refusalOf(resolved);
  const dense = resolved.storeAttachments ? 'none' : 'little';
  const toStream = () =>
    packed(files.map((file) => ({ ...file, effort: file.kind === 'attachment' ? dense : 'usual' })));
  return {
    root: resolved.root,
    files,
    refusal,
    outcomes: refusal === null ? countOutcomes(files) : { created: 0, failed: 0, skipped: 0 },
    toStream,
    writeTo: (path) => writeStream(toStream(), path),
  };
}

/** Folder by folder, as a walk through a directory finds them. */
function filesOf(options: ResolvedOptions): GeneratedFile[] {
  const { root, faults } = options;
  const base = `${root}/${(faults['no-export'] ?? 0) > 0 ? 'xml' : 'export'}`;
  const attachments = planAttachments(options);
  const products = planProducts(
    options,
    attachments.map(({ attachmentId }) => attachmentId),
  );
  const details = submitterDetails(options);
  const files: GeneratedFile[] = [
    ...attachments.map<AttachmentFile>((attachment) => ({
      ...attachment,
      kind: 'attachment',
      path: `${base}/attachments/${attachment.attachmentId}.xml`,
    })),
    ...products.filter((planned) => !isTobacco(planned)).map((planned) => productFile(planned, base)),
    {
      kind: 'submitter',
      path: `${base}/submitters/${details.submitterId}.xml`,
      details,
      content: () => writeSubmitter(details),
    },
    ...products.filter(isTobacco).map((planned) => productFile(planned, base)),
  ];
  const litter = faults.litter ?? 0;
  return [
    ...files,
    ...(litter === 0
      ? []
      : litterOf(
          root,
          files.map(({ path }) => path),
          litter,
        )),
    ...secondRoots(root, faults['second-root'] ?? 0),
  ];
}

function productFile(planned: PlannedFile, base: string): ProductFile {
  const tobacco = isTobacco(planned);
  const folder = tobacco ? 'tobacco-product-submissions' : 'ecigarette-product-submissions';
  return {
    kind: tobacco ? 'tobacco-product' : 'product',
    path: `${base}/${folder}/${planned.fileName}`,
    content: () => writeProduct(planned),
    expectation: expectationOf(planned),
  };
}

function refusalOf({ faults }: ResolvedOptions): RegExp | null {
  if ((faults['second-root'] ?? 0) > 0) return PACKAGE_FAULTS['second-root'].refusal;
  return (faults['no-export'] ?? 0) > 0 ? PACKAGE_FAULTS['no-export'].refusal : null;
}

function countOutcomes(files: readonly GeneratedFile[]): Record<Outcome, number> {
  const counts = { created: 0, failed: 0, skipped: 0 };
  for (const file of files) if ('expectation' in file) counts[file.expectation.outcome] += 1;
  return counts;
}
