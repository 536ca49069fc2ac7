/**
 * Reads the attachments and submitter files of a package. Reports the unreadable ones, and the XML files in no folder of
 * the layout.
 */
import { Context } from '@temporalio/activity';
import { misplaced } from '../../src/archive/layout.ts';
import { PACKAGE_LIMITS, tooLarge } from '../../src/archive/limits.ts';
import type { PackageFile, PackageReader } from '../../src/archive/package-reader.ts';
import { unpacked } from '../../src/archive/packed-file.ts';
import { count } from '../../src/common/text.ts';
import { ofStructure } from '../../src/contract/commission-codes.ts';
import { plainReason } from '../../src/contract/reasons.ts';
import type { Reason } from '../../src/contract/types.ts';
import { shortened, UNLISTED_FILES, UNREADABLE_FILES_LISTED } from '../../src/domain/notes.ts';
import type { UnreadableFile } from '../../src/domain/package-check.ts';
import { type ReadSubmitter, readSubmitter } from '../../src/products/submitter-reader.ts';
import { StructureProblem, XmlProblem } from '../../src/products/xml/decode.ts';
import type { ShowProgress } from './with-package.ts';

export type ReferredFile = PackageFile & { kind: 'attachment' | 'submitter' };

type ListedFile = PackageFile & { kind: UnreadableFile['kind'] };

/** Receives the files that were not read: each of the first ones, then the number of the others. */
export interface Unreadable {
  /** Paths of the files that an earlier try read or listed. */
  handled: ReadonlySet<string>;
  /** Files that an earlier try listed. */
  listed: number;
  list(file: ListedFile, reasons: Reason[]): Promise<void> | void;
  /** One note for the files that are not listed. */
  close(note: UnreadableFile): Promise<void> | void;
}

/** In archive order. */
export function referredFiles({ files }: PackageReader): ReferredFile[] {
  return files.filter(
    (file): file is ReferredFile => file.kind === 'attachment' || file.kind === 'submitter',
  );
}

/** In archive order. */
export function otherFiles({ files }: PackageReader): (PackageFile & { kind: 'other' })[] {
  return files.filter((file): file is PackageFile & { kind: 'other' } => file.kind === 'other');
}

/**
 * Reads attachments and submitter files, one after the other. An unreadable file does not stop the others. Misplaced
 * files are listed last: they take no place in the list from an unreadable one.
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
  const files: ListedFile[] = [...referredFiles(reader), ...otherFiles(reader)];
  const problemWith = (file: ListedFile) => {
    if (unreadable.handled.has(file.path)) return null;
    if (file.kind === 'other') return plainReason(misplaced(file.path));
    return problemOf(file.kind, read(file as ReferredFile));
  };
  let { listed } = unreadable;
  let more = 0;
  for (const [index, file] of files.entries()) {
    cancellationSignal.throwIfAborted();
    const problem = await problemWith(file);
    if (problem !== null && listed < UNREADABLE_FILES_LISTED) {
      await unreadable.list(file, [problem]);
      listed += 1;
    } else if (problem !== null) more += 1;
    showProgress({ phase: 'attachments and submitters', done: index + 1, total: files.length });
  }
  if (more > 0) {
    const text = `${count(more, 'more file')} were not read; only the first ${UNREADABLE_FILES_LISTED} are listed`;
    await unreadable.close({ kind: 'other', xmlFile: UNLISTED_FILES, reasons: [plainReason(text)] });
  }
}

/** @throws XmlProblem when the file is not a readable submitter */
export async function readSubmitterFile(reader: PackageReader, file: PackageFile): Promise<ReadSubmitter> {
  const limit = PACKAGE_LIMITS.submitterFileBytes;
  if (file.sizeBytes > limit) throw new XmlProblem(tooLarge('the file', file.sizeBytes, limit));
  return readSubmitter(unpacked(await reader.packed(file)), file.name);
}

/** The reason why a file could not be read, or null. */
async function problemOf(kind: ReferredFile['kind'], reading: Promise<void>): Promise<Reason | null> {
  try {
    await reading;
    return null;
  } catch (error) {
    if (!(error instanceof XmlProblem)) throw error;
    const reason = { ...error.reason, text: shortened(error.reason.text) };
    return error instanceof StructureProblem ? ofStructure(kind, reason) : reason;
  }
}
