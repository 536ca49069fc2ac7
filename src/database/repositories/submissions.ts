/** Reading submissions. */
import { perStep, type StepFlags } from '../../domain/steps.ts';
import { FLAG_PROPERTY, Submission, type SubmissionRow } from '../entities/submission.ts';
import type { Orm } from '../orm.ts';

/** The six flags of a submission row. */
export function flagsOf(row: SubmissionRow): StepFlags {
  return perStep((step) => row[FLAG_PROPERTY[step]]);
}

export function createSubmissionRepository(orm: Orm) {
  return {
    /** A submission with its import, and whether a newer one of its product has been queued. */
    async find(id: number): Promise<{ submission: SubmissionRow; superseded: boolean } | null> {
      const submission = await orm.em.fork().findOne(Submission, { id });
      if (!submission) return null;
      const superseded = await this.superseded([submission]);
      return { submission, superseded: superseded.has(id) };
    },

    /** Those of the given submissions for whose product a newer one has been queued. */
    async superseded(submissions: readonly { id: number; productId: string }[]): Promise<Set<number>> {
      if (submissions.length === 0) return new Set();
      const rows = await orm.em.fork().execute<{ id: number }[]>(
        `select s.id from jsonb_to_recordset(?::jsonb) as s(id int, product_id text)
          where exists (select 1 from submission n
                         where n.product_id = s.product_id and n.id > s.id
                           and (n.status <> 'local' or n.job_id is not null))`,
        [JSON.stringify(submissions.map(({ id, productId }) => ({ id, product_id: productId })))],
      );
      return new Set(rows.map((row) => row.id));
    },

    /** The submission that a run works on, if the run has begun. */
    async findByJobId(jobId: string): Promise<SubmissionRow | null> {
      return orm.em.fork().findOne(Submission, { jobId });
    },
  };
}

export type SubmissionRepository = ReturnType<typeof createSubmissionRepository>;
