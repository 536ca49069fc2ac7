/** What the reconciler looks for (design §6): records that say "under way" though nothing may be. */
import type { Orm } from '../orm.ts';

export interface InsertingSubmission {
  submissionId: number;
  productId: string;
  jobId: string | null;
}

export interface OpenImport {
  importId: number;
  importUuid: string;
}

export function createReconciliationRepository(orm: Orm) {
  return {
    /** Submissions that have been inserting for longer than `olderThanMs`, after the id `after`, in order of id. */
    async inserting(olderThanMs: number, after: number, limit: number): Promise<InsertingSubmission[]> {
      const rows = await orm.em.fork().execute<{ id: number; product_id: string; job_id: string | null }[]>(
        `select id, product_id, job_id from submission
          where status = 'regulator_inserting' and updated_at < now() - ? * interval '1 millisecond' and id > ?
          order by id limit ?`,
        [olderThanMs, after, limit],
      );
      return rows.map((row) => ({
        submissionId: row.id,
        productId: row.product_id,
        jobId: row.job_id,
      }));
    },

    /** Imports that have not ended and were uploaded longer than `olderThanMs` ago. */
    async openImports(olderThanMs: number): Promise<OpenImport[]> {
      const rows = await orm.em.fork().execute<{ id: number; uuid: string }[]>(
        `select id, uuid from zip_import
          where completed_at is null and uploaded_at < now() - ? * interval '1 millisecond' order by id`,
        [olderThanMs],
      );
      return rows.map(({ id, uuid }) => ({ importId: id, importUuid: uuid }));
    },
  };
}
