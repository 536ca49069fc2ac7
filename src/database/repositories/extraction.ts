/** Records of extraction: one outcome per product file, recorded once (decision §one-outcome-per-file). */
import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import type { InsertStep } from '../../contract/steps.ts';
import type { Reason } from '../../contract/types.ts';
import {
  type InsertedBefore,
  type InsertedSections,
  type ParsedProduct,
  PRESENTATION_BYTES,
  PRESENTATION_FIELDS,
} from '../../domain/product.ts';
import { perStep } from '../../domain/steps.ts';
import { ImportFile } from '../entities/package-import.ts';
import { Submission, SubmissionAttachment, type SubmissionRow } from '../entities/submission.ts';
import { insertRows } from '../insert-rows.ts';
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
  reasons: Reason[];
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
  /** The last inserted one: this submission or an older one. Null if there is none. */
  inserted: InsertedBefore | null;
}

interface InsertedRow {
  id: number;
  entryPath: string;
}

interface LastInsertedRow {
  id: number;
  hidden: boolean;
  sections: InsertedSections['sections'] | null;
  attachments: Record<string, string | null> | null;
  submitter: unknown;
}

export function createExtractionRepository(orm: Orm) {
  const database = () => orm.em.fork().getKysely();

  return {
    /**
     * Recorded state of an import: the paths of files with an outcome, the product IDs of created and skipped files,
     * and the bytes of their notes.
     */
    async recorded(
      importId: number,
    ): Promise<{ paths: Set<string>; productIds: Set<string>; noteBytes: number }> {
      const { rows } = await sql<{ entryPath: string; productId: string | null; noteBytes: number }>`
        select entry_path as "entryPath", product_id as "productId", octet_length(warnings::text) as "noteBytes"
          from submission where zip_import_id = ${importId}
        union all
        select entry_path, case when outcome = 'skipped' then product_id end, octet_length(reasons::text)
          from zip_import_file where zip_import_id = ${importId} and kind = 'product'
      `.execute(database());
      return {
        paths: new Set(rows.map(({ entryPath }) => entryPath)),
        productIds: new Set(rows.flatMap(({ productId }) => productId ?? [])),
        noteBytes: rows.reduce((sum, row) => sum + row.noteBytes, 0),
      };
    },

    /**
     * The newest submission of each product, except those of one import. Products without one are absent.
     *
     * @param tenant tenant whose inserted submissions may be shown. One of another tenant returns only its existence
     */
    async latestSubmissions(
      productIds: string[],
      { tenant, exceptImport }: { tenant: string; exceptImport: number | null },
    ): Promise<Map<string, LatestSubmission>> {
      if (productIds.length === 0) return new Map();
      const isOther = sql`s.zip_import_id is distinct from ${exceptImport}::bigint`;
      const { rows } = await sql<LatestSubmission & { productId: string }>`
        with latest as (
          select distinct on (product_id) product_id, id, status, content_hash, section_hashes, case_id
            from submission s
           where product_id = any(${productIds}::text[]) and ${isOther}
           order by product_id, id desc
        )
        select latest.product_id as "productId", latest.id as "submissionId", latest.status,
               latest.content_hash as "contentHash", latest.section_hashes as "sectionHashes",
               latest.case_id as "caseId", ${insertedBefore({ tenant, isOther })} as inserted
          from latest
      `.execute(database());
      return new Map(rows.map(({ productId, ...submission }) => [productId, submission]));
    },

    /**
     * The last inserted submission of a product, from any import: the regulator's present data.
     *
     * @param tenant tenant whose submissions may be shown; null for all. A submission of another tenant returns only
     *   its existence
     */
    async lastInserted(productId: string, tenant: string | null): Promise<InsertedSections | null> {
      const { rows } = await sql<LastInsertedRow>`
        with last as (
          select s.id, not (${tenant}::text is null or s.tenant = ${tenant}::text) as hidden
            from submission s
           where s.product_id = ${productId} and s.status = 'regulator_inserted'
           order by s.id desc limit 1
        )
        select last.id, last.hidden, s.sections, u.details as submitter,
               (select jsonb_object_agg(r.attachment_id, a.sha256)
                  from submission_attachment r left join attachment a on a.id = r.attachment_row_id
                 where r.submission_id = s.id) as attachments
          from last
          left join submission s on s.id = last.id and not last.hidden
          left join submitter u on u.id = s.submitter_row_id
      `.execute(database());
      const [row] = rows;
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

    /**
     * Records a batch of outcomes in one transaction. The first outcome of a path is kept, also if a try that counts as
     * lost still records. Does nothing after the import has failed.
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
          refused.map((file) => refusedRow(file, importId)),
        );
        const inserted = await insertRows<SubmissionRow, InsertedRow>(
          em,
          Submission,
          created.map((file) => submissionRow(file, { id: importId, uuid, comment }, now)),
          sql`returning id, entry_path as "entryPath"`,
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

/** Expression: the `InsertedBefore` of the product of `latest`; null if nothing was inserted. */
function insertedBefore({ tenant, isOther }: { tenant: string; isOther: RawBuilder<unknown> }) {
  const fields = sql.join(PRESENTATION_FIELDS.map((name) => sql`${sql.lit(name)}, one -> ${sql.lit(name)}`));
  const inserted = sql`s.product_id = latest.product_id and s.status = 'regulator_inserted' and ${isOther}`;
  return sql`(
    select jsonb_build_object(
             'caseId', case when own then last.case_id end,
             'on', case when own then to_char(last.updated_at at time zone 'UTC', 'YYYY-MM-DD') end,
             'presentations', case when octet_length(shown.presentations::text) <= ${PRESENTATION_BYTES}
                                   then shown.presentations end,
             'firstYear', (select extract(year from s.created_at at time zone 'UTC')::int from submission s
                            where ${inserted} and s.tenant = ${tenant} and s.submission_type_code in (1, 2)
                            order by s.id limit 1))
      from (select s.case_id, s.updated_at, s.sections, s.tenant = ${tenant} as own
              from submission s where ${inserted} order by s.id desc limit 1) last
      left join lateral (
        select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(${fields}))), '[]') as presentations
          from jsonb_path_query(last.sections, '$.product_presentation.Presentations[*]') one
      ) shown on last.own)`;
}

/** Blocks other tries at the same import until the transaction ends. Returns its uuid; null if it has failed. */
async function lockReading(em: EntityManager, importId: number): Promise<string | null> {
  const { rows } = await sql<{ uuid: string }>`
    select uuid from zip_import where id = ${importId} and status <> 'failed' for no key update
  `.execute(em.getKysely());
  return rows[0]?.uuid ?? null;
}

/** The paths with an outcome already. Two tables hold outcomes, so no constraint covers both. */
async function recordedAmong(
  em: EntityManager,
  importId: number,
  outcomes: readonly Entry[],
): Promise<Set<string>> {
  const paths = outcomes.map(({ entryPath }) => entryPath);
  const { rows } = await sql<{ entryPath: string }>`
    select entry_path as "entryPath" from submission
     where zip_import_id = ${importId} and entry_path = any(${paths}::text[])
    union all
    select entry_path from zip_import_file
     where zip_import_id = ${importId} and entry_path = any(${paths}::text[])
  `.execute(em.getKysely());
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
  { entryIndex, entryPath, xmlFile, outcome, reasons, productId }: RefusedFile,
  importId: number,
) {
  return { packageImport: importId, entryIndex, entryPath, xmlFile, outcome, reasons, productId };
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
