import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { JobState, QueueStatus } from '../../contract/statuses.ts';
import { ofImport, onePerImport } from './package-import.ts';
import { Submission } from './submission.ts';

/** The result of queuing a submission (interface §2.6). Written once per submission, never overwritten. */
export const QueueResultEntity = defineEntity({
  name: 'QueueResult',
  properties: {
    submission: () => p.oneToOne(Submission).primary().mapToPk().owner().deleteRule('cascade'),
    packageImport: () => ofImport().index(),
    status: p.smallint().$type<QueueStatus>(),
    message: p.text(),
    jobId: p.uuid().nullable(),
    jobState: p.string().$type<JobState>().nullable(),
    createdAt: p.datetime(3),
  },
});

export type QueueResultRow = InferEntity<typeof QueueResultEntity>;

/** The last retry of an import (decision §retries-are-recorded). */
export const ImportRetry = defineEntity({
  name: 'ImportRetry',
  properties: {
    packageImport: onePerImport,
    /** Id of the retry; its workflow's id contains it. */
    uuid: p.uuid().unique(),
    /** The client that requested the retry: its inserts get that client's fairness key. */
    clientId: p.string(),
    /** As in the audit trail. */
    requestedBy: p.text(),
    requestedAt: p.datetime(3),
    /** Set when every product has its result. */
    endedAt: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'import_retry_open_index', properties: ['requestedAt'], where: 'ended_at is null' }],
});

export type ImportRetryRow = InferEntity<typeof ImportRetry>;

/** The result of a submission in a retry; without a status it has none yet. */
export const RetryResult = defineEntity({
  name: 'RetryResult',
  properties: {
    submission: () => p.oneToOne(Submission).primary().mapToPk().owner().deleteRule('cascade'),
    packageImport: () => ofImport().index(),
    status: p.smallint().$type<QueueStatus>().nullable(),
    message: p.text().nullable(),
    jobId: p.uuid().nullable(),
    jobState: p.string().$type<JobState>().nullable(),
    /** Set before the start: a later run of the submission may be the retry's own. */
    triedAt: p.datetime(3).nullable(),
  },
});
