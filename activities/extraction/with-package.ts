/** What an import and a dry run have in common around their work: an open package, and heartbeats that tell how far it is. */
import { openPackage, type PackageReader } from '../../src/archive/package-reader.ts';
import type { ArchiveStorage } from '../../src/archive/storage.ts';
import { heartbeating } from '../heartbeating.ts';

/** What heartbeats say. */
export interface ExtractionProgress {
  phase: 'attachments and submitters' | 'products';
  done: number;
  total: number;
}

export type ShowProgress = (progress: ExtractionProgress) => void;

/**
 * Opens a stored package for as long as the work takes. Heartbeats begin before it is open: the directory of a large
 * archive takes seconds, too.
 *
 * @throws FileMissing when it is not stored, InvalidPackage when it cannot be read as a whole
 */
export async function withPackage<T>(
  storage: ArchiveStorage,
  storageKey: string,
  work: (reader: PackageReader, showProgress: ShowProgress) => Promise<T>,
): Promise<T> {
  return heartbeating(async (showProgress) => {
    const reader = await openPackage(await storage.open(storageKey));
    try {
      return await work(reader, showProgress);
    } finally {
      await reader.close();
    }
  });
}
