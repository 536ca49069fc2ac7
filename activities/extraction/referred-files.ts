/** Reads the files of a package that products refer to, attachments and submitters, and tells which cannot be read. */
import { Context } from '@temporalio/activity';
import { PACKAGE_LIMITS, tooLarge } from '../../src/archive/limits.ts';
import type { PackageFile, PackageReader } from '../../src/archive/package-reader.ts';
import { type ReadSubmitter, readSubmitter } from '../../src/products/submitter-reader.ts';
import { XmlProblem } from '../../src/products/xml/xml-problem.ts';
import type { ShowProgress } from './with-package.ts';

/** A file that products refer to. */
export type ReferredFile = PackageFile & { kind: 'attachment' | 'submitter' };

/** In archive order. */
export function referredFiles({ files }: PackageReader): ReferredFile[] {
  return files.filter(
    (file): file is ReferredFile => file.kind === 'attachment' || file.kind === 'submitter',
  );
}

/**
 * Reads every file that products refer to, one after the other; one that cannot be read stops nothing.
 *
 * @param read throws XmlProblem when the file cannot be read
 */
export async function readReferredFiles(
  reader: PackageReader,
  showProgress: ShowProgress,
  read: (file: ReferredFile) => Promise<void>,
  onUnreadable: (file: ReferredFile, reason: string) => Promise<void> | void,
): Promise<void> {
  const { cancellationSignal } = Context.current();
  const files = referredFiles(reader);
  for (const [index, file] of files.entries()) {
    cancellationSignal.throwIfAborted();
    const problem = await problemOf(read(file));
    if (problem !== null) await onUnreadable(file, problem);
    showProgress({ phase: 'attachments and submitters', done: index + 1, total: files.length });
  }
}

/** @throws XmlProblem when the file is not a readable submitter */
export async function readSubmitterFile(reader: PackageReader, file: PackageFile): Promise<ReadSubmitter> {
  const limit = PACKAGE_LIMITS.submitterFileBytes;
  if (file.sizeBytes > limit) throw new XmlProblem(tooLarge('the file', file.sizeBytes, limit));
  return readSubmitter(await reader.read(file), file.name);
}

/** Why a file could not be read, or null when it could. */
async function problemOf(reading: Promise<void>): Promise<string | null> {
  try {
    await reading;
    return null;
  } catch (error) {
    if (error instanceof XmlProblem) return error.message;
    throw error;
  }
}
