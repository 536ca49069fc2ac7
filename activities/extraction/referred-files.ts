/** Reads the attachments and submitter files of a package, and reports the unreadable ones. */
import { Context } from '@temporalio/activity';
import { PACKAGE_LIMITS, tooLarge } from '../../src/archive/limits.ts';
import type { PackageFile, PackageReader } from '../../src/archive/package-reader.ts';
import { unpacked } from '../../src/archive/packed-file.ts';
import { count } from '../../src/common/text.ts';
import { shortened, UNLISTED_FILES, UNREADABLE_FILES_LISTED } from '../../src/domain/notes.ts';
import { type ReadSubmitter, readSubmitter } from '../../src/products/submitter-reader.ts';
import { XmlProblem } from '../../src/products/xml/xml-problem.ts';
import type { ShowProgress } from './with-package.ts';

export type ReferredFile = PackageFile & { kind: 'attachment' | 'submitter' };

/** Receives the unreadable files: each of the first ones, then the number of the others. */
export interface Unreadable {
  /** Files that an earlier try listed. */
  listed: number;
  list(file: ReferredFile, reason: string): Promise<void> | void;
  /** One note for the files that are not listed. */
  close(note: { kind: ReferredFile['kind']; xmlFile: string; reason: string }): Promise<void> | void;
}

/** In archive order. */
export function referredFiles({ files }: PackageReader): ReferredFile[] {
  return files.filter(
    (file): file is ReferredFile => file.kind === 'attachment' || file.kind === 'submitter',
  );
}

/**
 * Reads attachments and submitter files, one after the other. An unreadable file does not stop the others.
 *
 * @param read throws XmlProblem if the file cannot be read
 */
export async function readReferredFiles(
  reader: PackageReader,
  showProgress: ShowProgress,
  read: (file: ReferredFile) => Promise<void>,
  unreadable: Unreadable,
): Promise<void> {
  const { cancellationSignal } = Context.current();
  const files = referredFiles(reader);
  let { listed } = unreadable;
  let more = 0;
  for (const [index, file] of files.entries()) {
    cancellationSignal.throwIfAborted();
    const problem = await problemOf(read(file));
    if (problem !== null && listed < UNREADABLE_FILES_LISTED) {
      await unreadable.list(file, problem);
      listed += 1;
    } else if (problem !== null) more += 1;
    showProgress({ phase: 'attachments and submitters', done: index + 1, total: files.length });
  }
  if (more > 0) {
    const reason = `${count(more, 'more file')} could not be read; only the first ${UNREADABLE_FILES_LISTED} are listed`;
    await unreadable.close({ kind: 'attachment', xmlFile: UNLISTED_FILES, reason });
  }
}

/** @throws XmlProblem when the file is not a readable submitter */
export async function readSubmitterFile(reader: PackageReader, file: PackageFile): Promise<ReadSubmitter> {
  const limit = PACKAGE_LIMITS.submitterFileBytes;
  if (file.sizeBytes > limit) throw new XmlProblem(tooLarge('the file', file.sizeBytes, limit));
  return readSubmitter(unpacked(await reader.packed(file)), file.name);
}

/** The reason why a file could not be read, or null. */
async function problemOf(reading: Promise<void>): Promise<string | null> {
  try {
    await reading;
    return null;
  } catch (error) {
    if (error instanceof XmlProblem) return shortened(error.message);
    throw error;
  }
}
