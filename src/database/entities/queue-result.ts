import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { JobState, QueueStatus } from '../../contract/statuses.ts';
import { PackageImport } from './package-import.ts';
import { Submission } from './submission.ts';

/** The result of queuing a submission (interface §2.6). Written once per submission, never overwritten. */
export const QueueResultEntity = defineEntity({
  name: 'QueueResult',
  tableName: 'queue_result',
  properties: {
    submission: () =>
      p.oneToOne(Submission).primary().mapToPk().owner().fieldName('submission_id').deleteRule('cascade'),
    packageImport: () =>
      p.manyToOne(PackageImport).mapToPk().fieldName('zip_import_id').deleteRule('cascade').index(),
    status: p.smallint().$type<QueueStatus>(),
    message: p.text(),
    jobId: p.uuid().nullable(),
    jobState: p.string().$type<JobState>().nullable(),
    createdAt: p.datetime(3),
  },
});

export type QueueResultRow = InferEntity<typeof QueueResultEntity>;
