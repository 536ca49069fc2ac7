/**
 * Queries of the reconciler (decision §the-reconciler): records that say "under way" although nobody may work on
 * them.
 */
import { sql } from 'kysely';
import type { Orm } from '../orm.ts';
import type { Tables } from '../tables.ts';

export interface InsertingSubmission {
  submissionId: number;
  importId: number;
  productId: string;
  jobId: string | null;
}

export interface OpenImport {
  importId: number;
  importUuid: string;
  clientId: string;
  /** Whether its cancellation was requested. */
  cancelRequested: boolean;
}

export function createReconciliationRepository(orm: Orm) {
  const ago = (ms: number) => sql<string>`now() - ${ms} * interval '1 millisecond'`;

  return {
    /** Submissions that have been inserting for longer than `olderThanMs`, after the id `after`, in order of id. */
    async inserting(olderThanMs: number, after: number, limit: number): Promise<InsertingSubmission[]> {
      return orm.em
        .fork()
        .getKysely<Tables>()
        .selectFrom('submission')
        .select([
          'id as submissionId',
          'zip_import_id as importId',
          'product_id as productId',
          'job_id as jobId',
        ])
        .where('status', '=', 'regulator_inserting')
        .where('updated_at', '<', ago(olderThanMs))
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute();
    },

    /** Open imports that were uploaded longer than `olderThanMs` ago, after the id `after`, in order of id. */
    async openImports(olderThanMs: number, after: number, limit: number): Promise<OpenImport[]> {
      return orm.em
        .fork()
        .getKysely<Tables>()
        .selectFrom('zip_import')
        .select((row) => [
          'id as importId',
          'uuid as importUuid',
          'client_id as clientId',
          row('cancel_requested_at', 'is not', null).$castTo<boolean>().as('cancelRequested'),
        ])
        .where('completed_at', 'is', null)
        .where('uploaded_at', '<', ago(olderThanMs))
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute();
    },
  };
}
