/**
 * Reads a package's attachments and submitters, before its products refer to them. Each file is dealt
 * with once; one that cannot be read is recorded with its reason and stops nothing.
 */
import { Readable } from 'node:stream';
import { Context } from '@temporalio/activity';
import type { PackageFile, PackageReader } from '../src/archive/package-reader.ts';
import { attachmentKey, incomingAttachmentKey } from '../src/archive/storage.ts';
import { readAttachment } from '../src/products/attachment-reader.ts';
import type { ImportDependencies } from './dependencies.ts';
import type { ExtractionProgress } from './extract-products.ts';
import { problemOf, type ReferredFile, readSubmitterFile, referredFiles } from './read-package-files.ts';

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
  const files = referredFiles(reader);
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
  file: ReferredFile,
): Promise<void> {
  const extract = file.kind === 'attachment' ? extractAttachment : extractSubmitter;
  const reason = await problemOf(extract(dependencies, record, reader, file));
  if (reason === null) return;
  await dependencies.database.packageFiles.recordUnreadable(record.id, {
    kind: file.kind,
    entryIndex: file.index,
    entryPath: file.path,
    xmlFile: file.name,
    reason,
  });
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
    const row = { ...details, ...stored, clientId, entryPath: file.path, storageKey };
    await database.packageFiles.recordAttachment(id, row, async () => {
      if (!(await storage.has(storageKey))) await storage.move(incoming, storageKey);
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
  const { submitterId, details } = await readSubmitterFile(reader, file);
  await database.packageFiles.recordSubmitter(id, { clientId, submitterId, entryPath: file.path, details });
}
