/** Records of reading: one outcome per product file, recorded once (decision §one-outcome-per-file). */
import { hash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { InsertStep } from '../../contract/steps.ts';
import type { ParsedProduct } from '../../domain/product.ts';
import { ImportFile, type ImportFileRow } from '../entities/package-import.ts';
import {
  Submission,
  SubmissionAttachment,
  type SubmissionAttachmentRow,
  type SubmissionRow,
} from '../entities/submission.ts';
import type { Orm } from '../orm.ts';
import { type Columns, insertRows, statements } from '../statements.ts';

type Entry = Columns<ImportFileRow, 'entryIndex' | 'entryPath' | 'xmlFile'>;

export interface CreatedFile extends Entry {
  outcome: 'created';
  product: ParsedProduct;
  contentHash: string;
  sectionHashes: Record<InsertStep, string>;
  /** The file as gzip. */
  rawXml: Buffer;
  /** Row of the submitter file, if there is one. */
  submitterRowId: number | null;
  attachments: LinkedAttachment[];
}

/** A reference to an attachment, with its row if we have it. */
export type LinkedAttachment = Columns<SubmissionAttachmentRow, 'attachmentId' | 'step' | 'attachment'>;

export type RefusedFile = Entry & Columns<ImportFileRow, 'outcome' | 'reasons' | 'productId'>;

export type FileOutcome = CreatedFile | RefusedFile;

type InsertedRow = Columns<SubmissionRow, 'id' | 'entryPath'>;

export function createReadingRepository(orm: Orm) {
  const db = statements(orm.em.fork());

  return {
    /**
     * Recorded state of an import: the paths of files with an outcome, the product IDs of created and skipped files,
     * and the bytes of their notes.
     */
    async recorded(
      importId: number,
    ): Promise<{ paths: Set<string>; productIds: Set<string>; noteBytes: number }> {
      const rows = await db.rows<{ entryPath: string; productId: string | null; noteBytes: number }>`
        select entry_path, product_id, octet_length(warnings::text) as note_bytes
          from submission where zip_import_id = ${importId}
        union all
        select entry_path, case when outcome = 'skipped' then product_id end, octet_length(reasons::text)
          from zip_import_file where zip_import_id = ${importId} and kind = 'product'
      `;
      return {
        paths: new Set(rows.map(({ entryPath }) => entryPath)),
        productIds: new Set(rows.flatMap(({ productId }) => productId ?? [])),
        noteBytes: rows.reduce((sum, row) => sum + row.noteBytes, 0),
      };
    },

    /**
     * Records a batch of outcomes in one transaction. The first outcome of a path is kept, also if an attempt that
     * counts as lost still records. Does nothing after the end of the import.
     */
    async record(importId: number, comment: string | null, outcomes: FileOutcome[]): Promise<void> {
      const now = new Date();
      await orm.em.fork().transactional(async (em) => {
        const uuid = await lockReading(em, importId);
        if (uuid === null) return;
        const known = await recordedAmong(em, importId, outcomes);
        const first = outcomes.filter(({ entryPath }) => !known.has(entryPath));
        const created = first.filter((outcome) => outcome.outcome === 'created');
        const refused = first.filter((outcome) => outcome.outcome !== 'created');
        await insertRows(
          em,
          ImportFile,
          refused.map((file) => ({ ...file, packageImport: importId })),
        );
        const inserted = await insertRows<SubmissionRow, InsertedRow>(
          em,
          Submission,
          created.map((file) => submissionRow(file, { id: importId, uuid, comment }, now)),
          sql`returning id, entry_path`,
        );
        await linkAttachments(em, inserted, created);
      });
    },
  };
}

/** Blocks other attempts at the same import until the transaction ends. Returns its uuid; null if it is over. */
export async function lockReading(em: EntityManager, importId: number): Promise<string | null> {
  const row = await statements(em).row<{ uuid: string }>`
    select uuid from zip_import where id = ${importId} and completed_at is null for no key update
  `;
  return row?.uuid ?? null;
}

/** The paths with an outcome already. Two tables hold outcomes, so no constraint covers both. */
async function recordedAmong(
  em: EntityManager,
  importId: number,
  outcomes: readonly Entry[],
): Promise<Set<string>> {
  const paths = outcomes.map(({ entryPath }) => entryPath);
  const rows = await statements(em).rows<{ entryPath: string }>`
    select entry_path from submission
     where zip_import_id = ${importId} and entry_path = any(${paths}::text[])
    union all
    select entry_path from zip_import_file
     where zip_import_id = ${importId} and entry_path = any(${paths}::text[])
  `;
  return new Set(rows.map(({ entryPath }) => entryPath));
}

async function linkAttachments(
  em: EntityManager,
  inserted: InsertedRow[],
  created: CreatedFile[],
): Promise<void> {
  const ids = new Map(inserted.map(({ id, entryPath }) => [entryPath, id]));
  const links = created.flatMap(({ entryPath, attachments }) => {
    const submission = ids.get(entryPath);
    return submission === undefined ? [] : attachments.map((reference) => ({ ...reference, submission }));
  });
  await insertRows(em, SubmissionAttachment, links);
}

function submissionRow(
  file: CreatedFile,
  { id, uuid, comment }: { id: number; uuid: string; comment: string | null },
  now: Date,
) {
  const { product } = file;
  return {
    uuid: submissionUuid(uuid, file.entryPath),
    packageImport: id,
    entryIndex: file.entryIndex,
    entryPath: file.entryPath,
    xmlFile: file.xmlFile,
    productId: product.productId,
    productTypeCode: product.productTypeCode,
    productType: product.productType,
    submissionTypeCode: product.submissionTypeCode,
    comment,
    status: 'local' as const,
    warnings: product.warnings,
    contentHash: file.contentHash,
    sectionHashes: file.sectionHashes,
    sections: product.sections,
    rawXml: file.rawXml,
    submitter: file.submitterRowId,
    createdAt: now,
    updatedAt: now,
  };
}

/**
 * The client reference of a submission for the regulator, derived from the import and the path of the file. A file that
 * is read again after a restore of the database has the same one, so the regulator finds the cases that it has opened
 * (decision §restored-means-repeated).
 *
 * @returns a UUID of version 8 (RFC 9562 §5.8)
 */
function submissionUuid(importUuid: string, entryPath: string): string {
  const bytes = hash('sha256', `${importUuid}/${entryPath}`, 'buffer').subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
