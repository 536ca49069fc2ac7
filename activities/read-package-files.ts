/** Reading the files of a package that products refer to, and telling which of them cannot be read. */
import { PACKAGE_LIMITS } from '../src/archive/limits.ts';
import type { PackageFile, PackageReader } from '../src/archive/package-reader.ts';
import { type ReadSubmitter, readSubmitter } from '../src/products/submitter-reader.ts';
import { XmlProblem } from '../src/products/xml/xml-problem.ts';

/** A file that products refer to. */
export type ReferredFile = PackageFile & { kind: 'attachment' | 'submitter' };

/** In archive order. */
export function referredFiles({ files }: PackageReader): ReferredFile[] {
  return files.filter(
    (file): file is ReferredFile => file.kind === 'attachment' || file.kind === 'submitter',
  );
}

/** @throws XmlProblem when the file is not a readable submitter */
export async function readSubmitterFile(reader: PackageReader, file: PackageFile): Promise<ReadSubmitter> {
  const limit = PACKAGE_LIMITS.submitterFileBytes;
  if (file.sizeBytes > limit)
    throw new XmlProblem(`the file is ${file.sizeBytes} bytes large; at most ${limit} are accepted`);
  return readSubmitter(await reader.read(file), file.name);
}

/** Why a file could not be read, or null when it could. */
export async function problemOf(reading: Promise<void>): Promise<string | null> {
  try {
    await reading;
    return null;
  } catch (error) {
    if (error instanceof XmlProblem) return error.message;
    throw error;
  }
}
