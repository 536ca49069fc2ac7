/** What can be said of a package before any of it is sent. */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { FileToSend } from '../client/send-file.ts';
import { BYTES_PER_MB } from '../domain/package-import.ts';
import { bytesText } from './measures.ts';
import { UsageError } from './outcome.ts';

/** Interface §8. */
const MAX_MB = 2048;

/** @throws UsageError */
export async function packageFile(path: string): Promise<FileToSend & { fileName: string }> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      error.code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read: ${error.message}.`,
    );
  });
  if (!found.isFile()) throw new UsageError(`${path} is no file.`);
  const fileName = basename(path);
  if (!/\.zip$/i.test(fileName))
    throw new UsageError(`${path} has not the extension .zip. A package is a ZIP archive.`);
  if (found.size === 0) throw new UsageError(`${path} is empty.`);
  if (found.size > MAX_MB * BYTES_PER_MB)
    throw new UsageError(`${path} has ${bytesText(found.size)}; a package may have ${MAX_MB} MB.`);
  return { path, fileName, sizeBytes: found.size };
}
