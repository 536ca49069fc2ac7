/** Records of extraction: one outcome per product file, recorded once (decision §one-outcome-per-file). */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { InsertStep } from '../../contract/steps.ts';
import type { ParsedProduct } from '../../domain/product.ts';
import type { InsertedSections } from '../../domain/product-diff.ts';
import { perStep } from '../../domain/steps.ts';
import { SubmissionAttachment } from '../entities/attachment.ts';
import { ImportFile } from '../entities/import-file.ts';
import { PackageImport } from '../entities/package-import.ts';
import { Submission, type SubmissionRow } from '../entities/submission.ts';
import { insertRows, ONCE_PER_PATH } from '../insert-rows.ts';
import type { Orm } from '../orm.ts';
import { submissionUuid } from '../submission-uuid.ts';

interface Entry {
  entryIndex: number;
  entryPath: string;
  xmlFile: string;
}

export interface CreatedFile extends Entry {
  outcome: 'created';
  product: ParsedProduct;
  contentHash: string;
  sectionHashes: Record<InsertStep, string>;
  /** The file as gzip. */
  rawXml: Buffer;
  /** Row of the submitter file, if there is one. */
  submitterRowId: number | null;
  /** References, each with the row of the attachment if we have it. */
  attachments: LinkedAttachment[];
}

export interface LinkedAttachment {
  attachmentId: string;
  step: InsertStep;
  attachmentRowId: number | null;
}

export interface RefusedFile extends Entry {
  outcome: 'failed' | 'skipped';
  reason: string;
  productId: string | null;
}

export type FileOutcome = CreatedFile | RefusedFile;

/** The newest submission of a product, for extraction. */
export interface LatestSubmission {
  submissionId: number;
  status: string;
  contentHash: string;
  sectionHashes: Record<InsertStep, string>;
  caseId: string | null;
}

interface InsertedRow {
  id: number;
  entry_path: string;
}

interface LastInsertedRow {
  id: number;
  hidden: boolean;
  sections: InsertedSections['sections'] | null;
  attachments: Record<string, string | null> | null;
  submitter: unknown;
}

interface LatestRow {
  product_id: string;
  id: number;
  status: string;
  content_hash: string;
  section_hashes: Record<InsertStep, string>;
  case_id: string | null;
}

export function createExtractionRepository(orm: Orm) {
  return {
    /**
     * Recorded state of an import: the paths of files with an outcome, the product IDs of created and skipped files,
     * and the bytes of their notes.
     */
    async recorded(
      importId: number,
    ): Promise<{ paths: Set<string>; productIds: Set<string>; noteBytes: number }> {
      const em = orm.em.fork();
      const rows = await em.execute<{ entry_path: string; product_id: string | null; note_bytes: number }[]>(
        `select entry_path, product_id, octet_length(warnings::text) as note_bytes
           from submission where zip_import_id = ?
         union all select entry_path, case when outcome = 'skipped' then product_id end, octet_length(reason)
           from zip_import_file where zip_import_id = ? and kind = 'product'`,
        [importId, importId],
      );
      return {
        paths: new Set(rows.map((row) => row.entry_path)),
        productIds: new Set(rows.flatMap((row) => row.product_id ?? [])),
        noteBytes: rows.reduce((sum, row) => sum + row.note_bytes, 0),
      };
    },

    /** The newest submission of each product, except those of one import. Products without one are absent. */
    async latestSubmissions(
      productIds: string[],
      { exceptImport }: { exceptImport: number | null },
    ): Promise<Map<string, LatestSubmission>> {
      if (productIds.length === 0) return new Map();
      const rows = await orm.em.fork().execute<LatestRow[]>(
        `select distinct on (product_id) product_id, id, status, content_hash, section_hashes, case_id
           from submission
          where product_id in (select jsonb_array_elements_text(?::jsonb))
            and zip_import_id is distinct from ?::bigint
          order by product_id, id desc`,
        [JSON.stringify(productIds), exceptImport],
      );
      return new Map(
        rows.map((row) => [
          row.product_id,
          {
            submissionId: row.id,
            status: row.status,
            contentHash: row.content_hash,
            sectionHashes: row.section_hashes,
            caseId: row.case_id,
          },
        ]),
      );
    },

    /**
     * The last inserted submission of a product, from any import: the regulator's present data.
     *
     * @param clientId client whose submissions may be shown; null for all. A submission of another client returns only
     *   its existence
     */
    async lastInserted(productId: string, clientId: string | null): Promise<InsertedSections | null> {
      const [row] = await orm.em.fork().execute<LastInsertedRow[]>(
        `with last as (
           select s.id, s.submitter_row_id, not (?::text is null or i.client_id = ?::text) as hidden
             from submission s join zip_import i on i.id = s.zip_import_id
            where s.product_id = ? and s.status = 'regulator_inserted'
            order by s.id desc limit 1)
         select last.id, last.hidden, s.sections, u.details as submitter,
                (select jsonb_object_agg(r.attachment_id, a.sha256)
                   from submission_attachment r left join attachment a on a.id = r.attachment_row_id
                  where r.submission_id = s.id) as attachments
           from last
           left join submission s on s.id = last.id and not last.hidden
           left join submitter u on u.id = s.submitter_row_id`,
        [clientId, clientId, productId],
      );
      if (!row) return null;
      const { id, hidden, sections, attachments, submitter } = row;
      return {
        submissionId: id,
        hidden,
        sections: sections ?? perStep(() => null),
        attachments: attachments ?? {},
        submitter,
      };
    },

    /** Records a batch of outcomes in one transaction. Idempotent: the first outcome of a path is kept. */
    async record(importId: number, comment: string | null, outcomes: FileOutcome[]): Promise<void> {
      const now = new Date();
      const created = outcomes.filter((outcome) => outcome.outcome === 'created');
      const refused = outcomes.filter((outcome) => outcome.outcome !== 'created');
      const { uuid } = await orm.em
        .fork()
        .findOneOrFail(PackageImport, { id: importId }, { fields: ['uuid'] });
      const rows = await Promise.all(
        created.map((file) => submissionRow(file, { id: importId, uuid, comment }, now)),
      );
      await orm.em.fork().transactional(async (em) => {
        await insertRows(
          em,
          ImportFile,
          refused.map((file) => refusedRow(file, importId)),
          ONCE_PER_PATH,
        );
        const inserted = await insertRows<SubmissionRow, InsertedRow>(
          em,
          Submission,
          rows,
          `${ONCE_PER_PATH} returning id, entry_path`,
        );
        await linkAttachments(em, inserted, created);
      });
    },

    /** Counts the files of an import by outcome. */
    async counts(importId: number): Promise<{ created: number; skipped: number; failed: number }> {
      const em = orm.em.fork();
      const [created, skipped, failed] = await Promise.all([
        em.count(Submission, { packageImport: importId }),
        em.count(ImportFile, { packageImport: importId, kind: 'product', outcome: 'skipped' }),
        em.count(ImportFile, { packageImport: importId, kind: 'product', outcome: 'failed' }),
      ]);
      return { created, skipped, failed };
    },
  };
}

/** Links only the submissions that this statement inserted: the others have their links already. */
async function linkAttachments(
  em: EntityManager,
  inserted: InsertedRow[],
  created: CreatedFile[],
): Promise<void> {
  const ids = new Map(inserted.map(({ id, entry_path }) => [entry_path, id]));
  const links = created.flatMap(({ entryPath, attachments }) => {
    const submission = ids.get(entryPath);
    if (submission === undefined) return [];
    return attachments.map(({ attachmentId, step, attachmentRowId }) => ({
      submission,
      attachmentId,
      step,
      attachment: attachmentRowId,
    }));
  });
  await insertRows(em, SubmissionAttachment, links);
}

function refusedRow(
  { entryIndex, entryPath, xmlFile, outcome, reason, productId }: RefusedFile,
  importId: number,
) {
  return { packageImport: importId, entryIndex, entryPath, xmlFile, outcome, reason, productId };
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
