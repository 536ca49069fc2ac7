/**
 * The beginning of a retry of an import, and its early end (decision §retries-are-recorded). Both require a
 * transaction.
 */
import { randomUUID } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { FailureFilter } from '../../contract/failures.ts';
import { INSERT_PROCESS } from '../../contract/statuses.ts';
import { ImportActionNotAvailable } from '../../domain/client-errors.ts';
import { notStarted } from '../../domain/queue.ts';
import { matchesFailure, OFFERS_INSERT } from '../conditions.ts';
import { PackageImport, type PackageImportRow } from '../entities/package-import.ts';
import { ImportRetry, type ImportRetryRow, RetryResult } from '../entities/queue-result.ts';
import { statements } from '../statements.ts';
import { audit } from './audit-trail.ts';

export interface RetryRequest {
  importId: number;
  /** UUID of the retry that this request may begin; by default a random one. */
  uuid?: string;
  clientId: string;
  /** Actor of the request. */
  actor: string;
  /** By default every submission that can be run. */
  only?: FailureFilter;
}

/**
 * Begins a retry with every submission that can be run again, or those of a filter. An open retry is joined. An ended
 * retry is joined while its inserts run and nothing else can be run. Other requests for the import, its cancellation
 * among them, wait until the end of the transaction.
 *
 * @returns null when nothing can be run
 * @throws ImportActionNotAvailable when the state of the import permits no retry
 */
export async function beginRetry(em: EntityManager, request: RetryRequest): Promise<ImportRetryRow | null> {
  const { importId } = request;
  const packageImport = await em.findOne(
    PackageImport,
    { id: importId },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (packageImport && !permitsRetry(packageImport))
    throw new ImportActionNotAvailable(INSERT_PROCESS, packageImport);
  const last = await em.findOne(ImportRetry, { packageImport: importId });
  // The end is recorded a moment after the last result: a client that saw all results may request another retry
  // before.
  if (last?.endedAt === null && (await isUnderWay(em, importId))) return last;
  const left = await leftOf(em, importId, request.only ?? {});
  if (left.length === 0) return last && (await isBeingInserted(em, importId)) ? last : null;
  return record(em, request, left);
}

/** Whether its products may be run again: not while it is read or being cancelled, nor after a failed reading. */
function permitsRetry({ status, cancelRequestedAt, completedAt }: PackageImportRow): boolean {
  const isBeingCancelled = cancelRequestedAt != null && completedAt == null;
  return status !== 'extracting' && status !== 'failed' && !isBeingCancelled;
}

/** Submissions that can be run, by the same rule as a submission's `actions`. */
async function leftOf(em: EntityManager, importId: number, only: FailureFilter): Promise<number[]> {
  const rows = await statements(em).rows<{ id: number }>`
    select s.id from submission s where s.zip_import_id = ${importId} and ${OFFERS_INSERT} and ${matchesFailure(only)}
  `;
  return rows.map(({ id }) => id);
}

async function record(
  em: EntityManager,
  { importId, uuid = randomUUID(), clientId, actor }: RetryRequest,
  left: readonly number[],
): Promise<ImportRetryRow> {
  await em.nativeDelete(ImportRetry, { packageImport: importId });
  await em.nativeDelete(RetryResult, { packageImport: importId });
  await statements(em).run`
    insert into retry_result (submission_id, zip_import_id)
    select submission_id, ${importId} from unnest(${left}::bigint[]) as submission_id
  `;
  const row = {
    packageImport: importId,
    uuid,
    clientId,
    requestedBy: actor,
    requestedAt: new Date(),
    endedAt: null,
  };
  await em.insert(ImportRetry, row);
  const detail = { submissions: left.length };
  await audit(em, { actor, action: 'import.retry_requested', importId, detail });
  return row as ImportRetryRow;
}

async function isUnderWay(em: EntityManager, importId: number): Promise<boolean> {
  return (await em.count(RetryResult, { packageImport: importId, status: null })) > 0;
}

async function isBeingInserted(em: EntityManager, importId: number): Promise<boolean> {
  const row = await statements(em).row`
    select s.id from retry_result r join submission s on s.id = r.submission_id and s.job_id = r.job_id
     where r.zip_import_id = ${importId} and s.status = 'regulator_inserting' limit 1
  `;
  return row !== undefined;
}

/**
 * Ends a retry whose remaining products will not run, because the retry or its import was cancelled. Does nothing and
 * returns false without an open retry.
 *
 * @param reason result of the remaining products, in whole sentences
 * @param only the retry to end; by default the last one of the import
 */
export async function giveUpRetryOf(
  em: EntityManager,
  importId: number,
  reason: string,
  only: { uuid?: string } = {},
): Promise<boolean> {
  const open = { packageImport: importId, endedAt: null, ...only };
  const changed = await em.nativeUpdate(ImportRetry, open, { endedAt: new Date() });
  if (changed === 0) return false;
  const { status, message } = notStarted(0, reason);
  await em.nativeUpdate(RetryResult, { packageImport: importId, status: null }, { status, message });
  return true;
}
