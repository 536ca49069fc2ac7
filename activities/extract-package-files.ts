/**
 * Reads a package's attachments and submitters, before its products refer to them. Each file is dealt
 * with once; one that cannot be read is recorded with its reason and stops nothing.
 */
import { Readable } from 'node:stream';
import { Context } from '@temporalio/activity';
import { PACKAGE_LIMITS } from '../src/archive/limits.ts';
import type { PackageFile, PackageReader } from '../src/archive/package-reader.ts';
import { attachmentKey, incomingAttachmentKey } from '../src/archive/storage.ts';
import { readAttachment } from '../src/products/attachment-reader.ts';
import { readSubmitter } from '../src/products/submitter-reader.ts';
import { XmlProblem } from '../src/products/xml/xml-problem.ts';
import type { ImportDependencies } from './dependencies.ts';
import type { ExtractionProgress } from './extract-products.ts';

type Dependencies = Pick<ImportDependencies, 'database' | 'storage'>;
interface Import {
  id: number;
  clientId: string;
}

export async function extractPackageFiles(
  dependencies: Dependencies,
  record: Import,
  reader: PackageReader,
  report: (progress: ExtractionProgress) => void,
): Promise<void> {
  const files = reader.files.filter(({ kind }) => kind === 'attachment' || kind === 'submitter');
  const recorded = await dependencies.database.packageFiles.recordedPaths(record.id);
  const { cancellationSignal } = Context.current();
  let done = 0;
  for (const file of files) {
    cancellationSignal.throwIfAborted();
    if (!recorded.has(file.path)) await extractFile(dependencies, record, reader, file);
    done += 1;
    report({ phase: 'attachments and submitters', done, total: files.length });
  }
}

async function extractFile(
  dependencies: Dependencies,
  record: Import,
  reader: PackageReader,
  file: PackageFile,
): Promise<void> {
  try {
    if (file.kind === 'attachment') await extractAttachment(dependencies, record, reader, file);
    else await extractSubmitter(dependencies, record, reader, file);
  } catch (error) {
    if (!(error instanceof XmlProblem)) throw error;
    await dependencies.database.packageFiles.recordUnreadable(record.id, {
      kind: file.kind as 'attachment' | 'submitter',
      entryIndex: file.index,
      entryPath: file.path,
      xmlFile: file.name,
      reason: error.message,
    });
  }
}

/** Streams the content into the storage, where the same content is kept once. */
async function extractAttachment(
  { database, storage }: Dependencies,
  { id, clientId }: Import,
  reader: PackageReader,
  file: PackageFile,
) {
  const incoming = incomingAttachmentKey(`${id}-${file.index}`);
  const attachment = readAttachment(reader.pieces(file));
  const stored = await storage.put(incoming, Readable.from(attachment.content, { objectMode: false }));
  try {
    const details = attachment.details();
    const storageKey = attachmentKey(stored.sha256);
    if (!(await storage.has(storageKey))) await storage.move(incoming, storageKey);
    await database.packageFiles.recordAttachment(id, {
      ...details,
      ...stored,
      clientId,
      entryPath: file.path,
      storageKey,
    });
  } finally {
    await storage.remove(incoming);
  }
}

async function extractSubmitter(
  { database }: Dependencies,
  { id, clientId }: Import,
  reader: PackageReader,
  file: PackageFile,
) {
  const limit = PACKAGE_LIMITS.submitterFileBytes;
  if (file.sizeBytes > limit)
    throw new XmlProblem(`the file is ${file.sizeBytes} bytes large; at most ${limit} are accepted`);
  const { submitterId, details } = readSubmitter(await reader.read(file), file.name);
  await database.packageFiles.recordSubmitter(id, { clientId, submitterId, entryPath: file.path, details });
}
