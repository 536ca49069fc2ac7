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
import { BEHIND_ALL, shortened, UNLISTED_FILES, UNREADABLE_FILES_LISTED } from '../../src/domain/notes.ts';
import type { UnreadableFile } from '../../src/domain/package-check.ts';
import { type ReadSubmitter, readSubmitter } from '../../src/products/submitter-reader.ts';
import { StructureProblem, XmlProblem } from '../../src/products/xml/decode.ts';
import type { ShowProgress } from './limit-lost-attempts.ts';

export type ReferredFile = PackageFile & { kind: 'attachment' | 'submitter' };

type OtherFile = PackageFile & { kind: 'other' };

/** A file that was not read, with its place in the archive. */
interface NotRead extends UnreadableFile {
  entryIndex: number;
  entryPath: string;
}

/** In archive order. */
export function referredFiles({ files }: PackageReader): ReferredFile[] {
  return files.filter(
    (file): file is ReferredFile => file.kind === 'attachment' || file.kind === 'submitter',
  );
}

/** In archive order. */
export function otherFiles({ files }: PackageReader): OtherFile[] {
  return files.filter((file): file is OtherFile => file.kind === 'other');
}

/**
 * Reads attachments and submitter files, one after the other, and yields those that cannot be read: each of the first
 * ones, then one note (`BEHIND_ALL`) with the number of the others. Misplaced files come last: they take no place in the
 * list from an unreadable one.
 *
 * @param read throws XmlProblem if the file cannot be read
 * @param earlier paths that an earlier attempt has read or listed, and the number of the listed ones
 */
export async function* unreadableFiles(
  reader: PackageReader,
  showProgress: ShowProgress,
  read: (file: ReferredFile) => Promise<void>,
  earlier: { paths: ReadonlySet<string>; unreadable: number } = { paths: new Set(), unreadable: 0 },
): AsyncGenerator<NotRead> {
  const { cancellationSignal } = Context.current();
  const files = [...referredFiles(reader), ...otherFiles(reader)];
  let listed = earlier.unreadable;
  let more = 0;
  for (const [index, file] of files.entries()) {
    cancellationSignal.throwIfAborted();
    const problem = earlier.paths.has(file.path) ? null : await problemWith(file, read);
    if (problem !== null && listed < UNREADABLE_FILES_LISTED) {
      const { kind, name: xmlFile, index: entryIndex, path: entryPath } = file;
      yield { kind, xmlFile, entryIndex, entryPath, reasons: [problem] };
      listed += 1;
    } else if (problem !== null) more += 1;
    showProgress({ phase: 'attachments and submitters', done: index + 1, total: files.length });
  }
  if (more === 0) return;
  const text = `${count(more, 'more file')} were not read; only the first ${UNREADABLE_FILES_LISTED} are listed`;
  // Last in archive order. Its empty path collides with no file.
  const place = { entryIndex: BEHIND_ALL, entryPath: '' };
  yield { kind: 'other', xmlFile: UNLISTED_FILES, ...place, reasons: [plainReason(text)] };
}

/** @throws XmlProblem when the file is not a readable submitter */
export async function readSubmitterFile(reader: PackageReader, file: PackageFile): Promise<ReadSubmitter> {
  const limit = PACKAGE_LIMITS.submitterFileBytes;
  if (file.sizeBytes > limit) throw new XmlProblem(tooLarge('the file', file.sizeBytes, limit));
  return readSubmitter(unpacked(await reader.packed(file)), file.name);
}

/** The reason why a file is not read, or null. */
async function problemWith(
  file: ReferredFile | OtherFile,
  read: (file: ReferredFile) => Promise<void>,
): Promise<Reason | null> {
  if (file.kind === 'other') return plainReason(misplaced(file.path));
  try {
    await read(file as ReferredFile);
    return null;
  } catch (error) {
    if (!(error instanceof XmlProblem)) throw error;
    const reason = { ...error.reason, text: shortened(error.reason.text) };
    return error instanceof StructureProblem ? ofStructure(file.kind, reason) : reason;
  }
}
