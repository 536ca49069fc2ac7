/** The stored package of an import: whether it is there to be read, and its opening. */
import { FileMissing, StorageFailure } from '../archive/storage.ts';
import type { PackageImportRow } from '../database/entities/package-import.ts';
import { ArchiveRemoved } from '../domain/client-errors.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { HttpError } from './http-error.ts';

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
