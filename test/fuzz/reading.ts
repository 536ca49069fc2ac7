/** Reads a whole package as the extraction does, without its database: what came of every file in it. */
import { createHash } from 'node:crypto';
import { productFiles, readProduct } from '../../activities/extraction/product-files.ts';
import { otherFiles, readSubmitterFile, referredFiles } from '../../activities/extraction/referred-files.ts';
import { judge } from '../../activities/extraction/verdict.ts';
import { misplaced } from '../../src/archive/layout.ts';
import { openPackage, type PackageFile, type PackageReader } from '../../src/archive/package-reader.ts';
import { gzipped, type PackedFile, unpacked } from '../../src/archive/packed-file.ts';
import type { StoredFileReader } from '../../src/archive/storage.ts';
import type { FileOutcome } from '../../src/database/repositories/extraction.ts';
import { InvalidPackage } from '../../src/domain/client-errors.ts';
import { type AttachmentDetails, readAttachment } from '../../src/products/attachment-reader.ts';
import { parseProduct } from '../../src/products/parse-product.ts';
import type { ReadSubmitter } from '../../src/products/submitter-reader.ts';
import { XmlProblem } from '../../src/products/xml/decode.ts';

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
  const digests = new Set<string>();
  const reading: PackageReading = {
    root,
    files,
    outcomes: [],
    attachments: [],
    submitters: [],
    unreadable: [],
    digests,
  };
  const noting = notingDigests(reader, digests);
  for (const file of referredFiles(reader)) {
    try {
      if (file.kind === 'attachment') reading.attachments.push(await attachmentOf(noting, file));
      else reading.submitters.push(await readSubmitterFile(noting, file));
    } catch (error) {
      if (!(error instanceof XmlProblem)) throw error;
      reading.unreadable.push({ path: file.path, reason: error.message });
    }
  }
  for (const { path } of otherFiles(reader)) reading.unreadable.push({ path, reason: misplaced(path) });
  const parser = {
    async parse(packed: PackedFile) {
      const content = unpacked(packed);
      return { result: parseProduct(content), gzip: Buffer.from(gzipped(packed, content)) };
    },
  };
  const seen = new Set<string>();
  const nothing = { latest: new Map(), attachments: new Map(), submitters: new Map() };
  for (const file of productFiles(reader))
    reading.outcomes.push(judge(await readProduct(file, noting, parser), seen, nothing).outcome);
  return reading;
}

/** The same reader; what it has read to its end is noted by its SHA-256. */
function notingDigests(reader: PackageReader, digests: Set<string>): PackageReader {
  return {
    ...reader,
    async packed(file) {
      const packed = await reader.packed(file);
      digests.add(digestOf(unpacked(packed)));
      return packed;
    },
    async *pieces(file) {
      const packed = createHash('sha256');
      for await (const piece of reader.pieces(file)) {
        packed.update(piece);
        yield piece;
      }
      digests.add(packed.digest('hex'));
    },
  };
}

async function attachmentOf(reader: PackageReader, file: PackageFile): Promise<ReadAttachment> {
  const attachment = readAttachment(reader.pieces(file));
  const content = createHash('sha256');
  for await (const piece of attachment.content) content.update(piece);
  return { ...attachment.details(), sha256: content.digest('hex') };
}

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
