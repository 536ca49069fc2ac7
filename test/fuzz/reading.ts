/** Reads a whole package as an import does, without its database, and requires what holds for any package. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { productFiles, readProduct } from '../../activities/reading/product-files.ts';
import { otherFiles, readSubmitterFile, referredFiles } from '../../activities/reading/referred-files.ts';
import { judge } from '../../activities/reading/verdict.ts';
import { misplaced } from '../../src/archive/layout.ts';
import { openPackage, type PackageFile, type PackageReader } from '../../src/archive/package-reader.ts';
import { gzipped, type PackedFile, unpacked } from '../../src/archive/packed-file.ts';
import type { StoredFileReader } from '../../src/archive/storage.ts';
import { PRODUCT_ID_PATTERN } from '../../src/contract/limits.ts';
import { reasonsText, reasonText } from '../../src/contract/reasons.ts';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import type { FileOutcome } from '../../src/database/repositories/reading.ts';
import { InvalidPackage } from '../../src/domain/client-errors.ts';
import { UUID_PATTERN } from '../../src/domain/ids.ts';
import type { AttachmentDetails } from '../../src/domain/product.ts';
import { readAttachment } from '../../src/products/attachment-reader.ts';
import { PRODUCT_TYPES } from '../../src/products/code-lists.ts';
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
    reading.outcomes.push(judge(await readProduct(file, noting, parser), seen, nothing, {}).outcome);
  return reading;
}

/** The same reader; what it has read to its end is noted by its SHA-256. */
function notingDigests(reader: PackageReader, digests: Set<string>): PackageReader {
  return {
    ...reader,
    async packed(file) {
      const packed = await reader.packed(file);
      digests.add(sha256Of(unpacked(packed)));
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

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Hundred problems of some three hundred characters. */
const MAX_REASON = 50_000;

/** @throws AssertionError that says which invariant does not hold */
export function requireInvariants(reading: PackageReading | InvalidPackage): void {
  if (reading instanceof InvalidPackage) {
    assert.match(reading.message, /^Invalid submission ZIP: \S/);
    requireText(reading.message, 1_000);
    return;
  }
  const { files, outcomes, attachments, submitters, unreadable } = reading;
  const products = files.filter(({ kind }) => kind === 'product' || kind === 'tobacco-product');
  assert.deepEqual(
    outcomes.map(({ entryPath }) => entryPath),
    products.map(({ path }) => path),
    'every product file has one outcome, in archive order',
  );
  assert.equal(attachments.length + submitters.length + unreadable.length, files.length - products.length);
  const created = outcomes.filter(({ outcome }) => outcome === 'created');
  assert.equal(new Set(created.map(productIdOf)).size, created.length, 'no product is created twice');
  for (const outcome of outcomes) requireOutcome(outcome);
  for (const { reason } of unreadable) requireText(reason, MAX_REASON);
  for (const { attachmentId, fileName, contentType } of attachments) {
    assert.match(attachmentId, UUID_PATTERN);
    requireStorable([fileName, contentType]);
  }
  for (const { submitterId, details } of submitters) {
    assert.match(submitterId, /^[0-9]{5}$/);
    requireStorable(details);
  }
}

function requireOutcome(outcome: FileOutcome): void {
  requireStorable(outcome.entryPath);
  assert.match(outcome.xmlFile, /\.xml$/i);
  assert(!outcome.xmlFile.includes('/'));
  if (outcome.outcome !== 'created') {
    requireText(reasonsText(outcome.reasons), MAX_REASON);
    requireStorable(outcome.reasons);
    if (outcome.productId !== null) assert.match(outcome.productId, PRODUCT_ID_PATTERN);
    return;
  }
  const { product, contentHash } = outcome;
  assert.match(product.productId, PRODUCT_ID_PATTERN);
  assert.equal(product.productType, PRODUCT_TYPES[product.productTypeCode]);
  assert.match(contentHash, /^[0-9a-f]{64}$/);
  assert.deepEqual(Object.keys(product.sections).sort(), [...INSERT_STEPS].sort());
  assert.deepEqual(JSON.parse(JSON.stringify(product.sections)), product.sections, 'sections are JSON');
  requireStorable(product.sections);
  for (const warning of product.warnings) requireText(reasonText(warning), 1_500);
  requireStorable(product.warnings);
  for (const { attachmentId } of product.attachments) assert.match(attachmentId, UUID_PATTERN);
}

function productIdOf(outcome: FileOutcome): string | null {
  return outcome.outcome === 'created' ? outcome.product.productId : outcome.productId;
}

/**
 * Requires a text for people: not empty, bounded, without control characters for a terminal or a mail program. An
 * unexpected error of a reader is a fault of ours.
 */
function requireText(text: string, maxLength: number): void {
  assert(text.trim() !== '' && text.length <= maxLength, `a message of ${text.length} characters`);
  assert.doesNotMatch(text, /[\p{Cc}\p{Cs}]/u);
  assert.doesNotMatch(text, /failed unexpectedly/);
}

/** PostgreSQL keeps neither NUL nor half characters, in text or in JSON. */
function requireStorable(value: unknown): void {
  const json = JSON.stringify(value);
  assert(!json.includes('\\u0000') && !/\\ud[89a-f]/.test(json), 'text that PostgreSQL cannot keep');
}
