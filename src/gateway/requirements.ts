/** Requirements of an operation: of its caller, of the service, and of the package of an import. */
import { setTimeout as sleep } from 'node:timers/promises';
import { FileMissing, StorageFailure } from '../archive/storage.ts';
import type { Permission } from '../contract/operations.ts';
import type { PackageImportRow } from '../database/entities/package-import.ts';
import { ArchiveRemoved } from '../domain/client-errors.ts';
import { sessionMessage } from '../domain/regulator.ts';
import { cachedChecks } from '../http/health.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { HttpError, missingPermission, sessionRequired } from './http-error.ts';
import type { Caller } from './tokens/access-token.ts';

/** @throws HttpError 403 */
export function requirePermission({ permissions }: Caller, permission: Permission): void {
  if (!permissions.has(permission)) throw missingPermission(permission);
}

/**
 * Without an active regulator session, no accepted product could be inserted.
 *
 * @param before the end of the message, if it is not about an upload
 * @throws HttpError 412
 */
export async function requireSession(
  sessions: GatewayDependencies['sessions'],
  before?: 'products are inserted',
): Promise<void> {
  const state = await sessions.state();
  if (state.status !== 'active') throw sessionRequired(sessionMessage(state), state.status, before);
}

/** Interval of the checks, which are cached for a second. */
const LOOK_EVERY_MS = 1_000;

/**
 * Makes the check that a worker can process an upload, so that a client does not send 2 GB in vain. It waits for a
 * restarting process before it refuses.
 */
export function createProcessingCheck({
  processing,
  limits: { maxProcessingWaitMs },
  logger,
}: Pick<GatewayDependencies, 'processing' | 'limits' | 'logger'>) {
  const ask = cachedChecks(processing.uploads, logger);

  /** @throws HttpError 503 */
  return async function requireProcessing(): Promise<void> {
    const deadline = performance.now() + maxProcessingWaitMs;
    for (;;) {
      const { ok, checks } = await ask();
      if (ok) return;
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) {
        const missing = Object.keys(checks).filter((name) => checks[name] !== 'ok');
        throw new HttpError('processing_unavailable', undefined, { cause: `missing: ${missing.join(', ')}` });
      }
      await sleep(Math.min(LOOK_EVERY_MS, leftMs));
    }
  };
}

/** @throws ArchiveRemoved */
export function requireKept({ id, archiveRemovedAt }: PackageImportRow): void {
  if (archiveRemovedAt) throw new ArchiveRemoved(id, archiveRemovedAt);
}

/** @throws HttpError, ArchiveRemoved */
export function requireReadable(record: PackageImportRow): void {
  const { id, status, failureReason } = record;
  const data = { id };
  if (status === 'extracting') {
    const message = `Package import ${id} is still being read. Try again later.`;
    throw new HttpError('import_under_way', message, { data });
  }
  if (status === 'failed') {
    const message = `The package of import ${id} could not be read. ${failureReason}`;
    throw new HttpError('package_unreadable', message, { data });
  }
  requireKept(record);
}

/** Opens a kept package. Retention may have removed it since its record was read. @throws ArchiveRemoved */
export async function openKept<T>(
  { imports }: Pick<GatewayDependencies['database'], 'imports'>,
  record: PackageImportRow,
  open: () => Promise<T>,
): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof FileMissing || error instanceof StorageFailure)
      requireKept((await imports.find(record.id)) ?? record);
    throw error;
  }
}
