/** Reads a whole package as the extraction does, without its database: what came of every file in it. */
import { createHash } from 'node:crypto';
import { judge } from '../../activities/extraction/verdict.ts';
import { PACKAGE_LIMITS } from '../../src/archive/limits.ts';
import { openPackage, type PackageFile, type PackageReader } from '../../src/archive/package-reader.ts';
import type { StoredFileReader } from '../../src/archive/storage.ts';
import type { FileOutcome } from '../../src/database/repositories/extraction.ts';
import { InvalidPackage } from '../../src/domain/errors.ts';
import { type AttachmentDetails, readAttachment } from '../../src/products/attachment-reader.ts';
import { parseProduct } from '../../src/products/parse-product.ts';
import { type ReadSubmitter, readSubmitter } from '../../src/products/submitter-reader.ts';
import { XmlProblem } from '../../src/products/xml/xml-problem.ts';

export interface ReadAttachment extends AttachmentDetails {
  /** Hexadecimal SHA-256 of the decoded content. */
  sha256: string;
}

export interface PackageReading {
  root: string;
  files: readonly PackageFile[];
  /** One for each product file, in archive order. */
  outcomes: FileOutcome[];
  attachments: ReadAttachment[];
  submitters: ReadSubmitter[];
  /** Attachments and submitters that could not be read. */
  unreadable: { path: string; reason: string }[];
  /** Hexadecimal SHA-256 of every file that was read to its end, as it was packed. */
  digests: Set<string>;
}

/** @throws whatever is neither the package's fault nor a file's: a fault of ours */
export async function readPackage(stored: StoredFileReader): Promise<PackageReading | InvalidPackage> {
  try {
    const reader = await openPackage(stored);
    try {
      return await readFiles(reader);
    } finally {
      await reader.close();
    }
  } catch (error) {
    if (error instanceof InvalidPackage) return error;
    throw error;
  }
}

async function readFiles(reader: PackageReader): Promise<PackageReading> {
  const { root, files } = reader;
  const reading: PackageReading = {
    ...{ root, files, outcomes: [], attachments: [], submitters: [], unreadable: [] },
    digests: new Set(),
  };
  for (const file of files) {
    if (file.kind !== 'attachment' && file.kind !== 'submitter') continue;
    try {
      if (file.kind === 'attachment') reading.attachments.push(await attachmentOf(reader, file, reading));
      else reading.submitters.push(readSubmitter(await contentOf(reader, file, reading), file.name));
    } catch (error) {
      if (!(error instanceof XmlProblem)) throw error;
      reading.unreadable.push({ path: file.path, reason: error.message });
    }
  }
  const seen = new Set<string>();
  const nothing = { latest: new Map(), attachments: new Map(), submitters: new Map() };
  for (const file of files) {
    if (file.kind === 'attachment' || file.kind === 'submitter') continue;
    reading.outcomes.push(judge(await productOf(reader, file, reading), seen, nothing).outcome);
  }
  return reading;
}

async function productOf(reader: PackageReader, file: PackageFile, reading: PackageReading) {
  if (file.kind === 'tobacco-product')
    return {
      file,
      bytes: null,
      result: { ok: 'skip', reason: 'Tobacco products are not imported.' } as const,
    };
  if (file.sizeBytes > PACKAGE_LIMITS.productFileBytes)
    return { file, bytes: null, result: { ok: false, reason: 'too large', productId: null } as const };
  const bytes = await contentOf(reader, file, reading);
  return { file, bytes, result: parseProduct(bytes) };
}

async function contentOf(reader: PackageReader, file: PackageFile, { digests }: PackageReading) {
  const bytes = await reader.read(file);
  digests.add(digestOf(bytes));
  return bytes;
}

async function attachmentOf(
  reader: PackageReader,
  file: PackageFile,
  { digests }: PackageReading,
): Promise<ReadAttachment> {
  const packed = createHash('sha256');
  async function* noted() {
    for await (const piece of reader.pieces(file)) {
      packed.update(piece);
      yield piece;
    }
    digests.add(packed.digest('hex'));
  }
  const attachment = readAttachment(noted());
  const content = createHash('sha256');
  for await (const piece of attachment.content) content.update(piece);
  return { ...attachment.details(), sha256: content.digest('hex') };
}

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
