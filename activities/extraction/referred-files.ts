/** Reads the files of a package that products refer to, attachments and submitters, and tells which cannot be read. */
import { Context } from '@temporalio/activity';
import { PACKAGE_LIMITS, tooLarge } from '../../src/archive/limits.ts';
import type { PackageFile, PackageReader } from '../../src/archive/package-reader.ts';
import { unpacked } from '../../src/archive/packed-file.ts';
import { shortened, UNLISTED_FILES, UNREADABLE_FILES_LISTED } from '../../src/domain/notes.ts';
import { count } from '../../src/domain/text.ts';
import { type ReadSubmitter, readSubmitter } from '../../src/products/submitter-reader.ts';
import { XmlProblem } from '../../src/products/xml/xml-problem.ts';
import type { ShowProgress } from './with-package.ts';

/** A file that products refer to. */
export type ReferredFile = PackageFile & { kind: 'attachment' | 'submitter' };

/** Told of the files that cannot be read: of each while they are few, of how many more there are in the end. */
export interface Unreadable {
  /** Files that were listed before, by an earlier try. */
  listed: number;
  list(file: ReferredFile, reason: string): Promise<void> | void;
  /** One note for those that are not listed. */
  close(note: { kind: ReferredFile['kind']; xmlFile: string; reason: string }): Promise<void> | void;
}

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

/** Why a file could not be read, or null when it could. */
async function problemOf(reading: Promise<void>): Promise<string | null> {
  try {
    await reading;
    return null;
  } catch (error) {
    if (error instanceof XmlProblem) return shortened(error.message);
    throw error;
  }
}
