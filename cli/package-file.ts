/** Checks of a package before any of it is sent. */
import { stat } from 'node:fs/promises';
import nodePath, { type PlatformPath } from 'node:path';
import type { FileToSend } from './client/send-file.ts';
import { UsageError } from './outcome.ts';

/**
 * Does not check the size: only the gateway knows the limit, and it answers before it accepts the body.
 *
 * @param paths in the platform's notation
 * @throws UsageError
 */
export async function packageFile(
  path: string,
  paths: Pick<PlatformPath, 'basename'> = nodePath,
): Promise<FileToSend & { fileName: string }> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      error.code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read: ${error.message}.`,
    );
  });
  if (!found.isFile()) throw new UsageError(`${path} is no file.`);
  const fileName = paths.basename(path);
  if (!/\.zip$/i.test(fileName))
    throw new UsageError(`${path} has not the extension .zip. A package is a ZIP archive.`);
  if (found.size === 0) throw new UsageError(`${path} is empty.`);
  return { path, fileName, sizeBytes: found.size };
}
