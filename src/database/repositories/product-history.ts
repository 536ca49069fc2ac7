/**
 * Earlier submissions of a product: the newest, and the last one that was inserted, in the order of their imports
 * (decision §one-insert-per-product).
 */
import { type RawBuilder, sql } from 'kysely';
import {
  type InsertedBefore,
  type InsertedSections,
  PRESENTATION_BYTES,
  PRESENTATION_FIELDS,
} from '../../domain/product.ts';
import { perStep } from '../../domain/steps.ts';
import type { SubmissionRow } from '../entities/submission.ts';
import type { Orm } from '../orm.ts';
import { type Columns, statements } from '../statements.ts';

/** The newest submission of a product in an earlier import. */
export interface LatestSubmission extends Columns<SubmissionRow, 'contentHash' | 'sectionHashes' | 'caseId'> {
  submissionId: number;
  status: string;
  /** Whether an earlier import of the tenant is still being read: it may have a newer submission than this one. */
  mayBePassed: boolean;
  /** The last inserted one: this submission or an older one. Null if there is none. */
  inserted: InsertedBefore | null;
}

export function createProductHistoryRepository(orm: Orm) {
  const db = statements(orm.em.fork());

  return {
    /**
     * The newest submission of each product. Products without one are absent.
     *
     * @param beforeImport only of earlier imports than this; null for all
     * @param tenant tenant whose inserted submissions may be shown. One of another tenant returns only its existence
     */
    async latestSubmissions(
      productIds: string[],
      { tenant, beforeImport }: { tenant: string; beforeImport: number | null },
    ): Promise<Map<string, LatestSubmission>> {
      if (productIds.length === 0) return new Map();
      const isEarlier = beforeImport === null ? sql`true` : sql`s.zip_import_id < ${beforeImport}`;
      const rows = await db.rows<LatestSubmission & { productId: string }>`
        with latest as (
          select distinct on (product_id) product_id, id, status, content_hash, section_hashes, case_id
            from submission s
           where product_id = any(${productIds}::text[]) and ${isEarlier}
           order by product_id, zip_import_id desc
        )
        select latest.product_id, latest.id as submission_id, latest.status, latest.content_hash,
               latest.section_hashes, latest.case_id, exists (
                 select from zip_import i where i.tenant = ${tenant} and i.id < ${beforeImport}::bigint
                    and i.completed_at is null and i.read_at is null) as may_be_passed,
               ${insertedBefore({ tenant, isEarlier })} as inserted
          from latest
      `;
      return new Map(rows.map(({ productId, ...submission }) => [productId, submission]));
    },

    /**
     * The last inserted submission of a product, from any import: the regulator's present data.
     *
     * @param tenant tenant whose submissions may be shown; null for all. A submission of another tenant returns only
     *   its existence
     */
    async lastInserted(productId: string, tenant: string | null): Promise<InsertedSections | null> {
      type Row = Omit<InsertedSections, 'sections'> & { sections: InsertedSections['sections'] | null };
      const row = await db.row<Row>`
        with last as (
          select s.id, not (${tenant}::text is null or s.tenant = ${tenant}::text) as hidden
            from submission s
           where s.product_id = ${productId} and s.status = 'regulator_inserted'
           order by s.zip_import_id desc limit 1
        )
        select last.id as submission_id, last.hidden, s.sections, u.details as submitter, coalesce(
               (select jsonb_object_agg(r.attachment_id, case when a.id is not null then jsonb_build_object(
                         'sha256', a.sha256, 'fileName', a.file_name, 'contentType', a.content_type,
                         'confidential', a.confidential) end)
                  from submission_attachment r left join attachment a on a.id = r.attachment_row_id
                 where r.submission_id = s.id), '{}') as attachments
          from last
          left join submission s on s.id = last.id and not last.hidden
          left join submitter u on u.id = s.submitter_row_id
      `;
      return row ? { ...row, sections: row.sections ?? perStep(() => null) } : null;
    },
  };
}

/** Expression: the `InsertedBefore` of the product of `latest`; null if nothing was inserted. */
function insertedBefore({ tenant, isEarlier }: { tenant: string; isEarlier: RawBuilder<unknown> }) {
  const fields = sql.join(PRESENTATION_FIELDS.map((name) => sql`${sql.lit(name)}, one -> ${sql.lit(name)}`));
  const inserted = sql`s.product_id = latest.product_id and s.status = 'regulator_inserted' and ${isEarlier}`;
  return sql`(
    select jsonb_build_object(
             'caseId', case when own then last.case_id end,
             'on', case when own then to_char(last.updated_at at time zone 'UTC', 'YYYY-MM-DD') end,
             'presentations', case when octet_length(shown.presentations::text) <= ${PRESENTATION_BYTES}
                                   then shown.presentations end,
             'firstYear', (select extract(year from s.created_at at time zone 'UTC')::int from submission s
                            where ${inserted} and s.tenant = ${tenant} and s.submission_type_code in (1, 2)
                            order by s.zip_import_id limit 1))
      from (select s.case_id, s.updated_at, s.sections, s.tenant = ${tenant} as own
              from submission s where ${inserted} order by s.zip_import_id desc limit 1) last
      left join lateral (
        select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(${fields}))), '[]') as presentations
          from jsonb_path_query(last.sections, '$.product_presentation.Presentations[*]') one
      ) shown on last.own)`;
}
