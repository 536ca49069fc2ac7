/**
 * Stores a package's attachments and submitters before its products refer to them. Each file is handled once. An
 * unreadable file is recorded with its reason and does not stop the others.
 */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { PackageFile } from '../../src/archive/package-reader.ts';
import { attachmentKey, incomingAttachmentKey } from '../../src/archive/storage.ts';
import { BEHIND_ALL } from '../../src/domain/notes.ts';
import { readAttachment } from '../../src/products/attachment-reader.ts';
import type { ImportDependencies } from '../dependencies.ts';
import { type ReferredFile, readSubmitterFile, unreadableFiles } from './referred-files.ts';
import type { ImportReading } from './with-package.ts';

export async function storeReferredFiles(
  { database, storage }: Pick<ImportDependencies, 'database' | 'storage'>,
  { id, tenant }: { id: number; tenant: string },
  { reader, showProgress, pieceRecorded }: ImportReading,
): Promise<void> {
  const { referredFiles } = database;
  const store = async (file: ReferredFile) => {
    await (file.kind === 'attachment' ? storeAttachment : storeSubmitter)(file);
    pieceRecorded();
  };
  const recorded = await referredFiles.recorded(id);
  for await (const file of unreadableFiles(reader, showProgress, store, recorded)) {
    await referredFiles.recordUnreadable(id, file);
    // Every attempt counts the files that are not listed again, so their note is no progress.
    if (file.entryIndex !== BEHIND_ALL) pieceRecorded();
  }

  /** Streams the content into the storage, which keeps identical content once. */
  async function storeAttachment(file: PackageFile) {
    // An attempt that counts as lost may still be alive, and removes its own file only.
    const incoming = incomingAttachmentKey(randomUUID());
    const attachment = readAttachment(reader.pieces(file));
    const stored = await storage.put(incoming, Readable.from(attachment.content, { objectMode: false }));
    try {
      const details = attachment.details();
      const storageKey = attachmentKey(stored.sha256);
      const row = { ...details, ...stored, tenant, entryPath: file.path, storageKey };
      await referredFiles.recordAttachment(id, row, async () => {
        if (!(await storage.has(storageKey))) await storage.move(incoming, storageKey);
      });
    } finally {
      await storage.remove(incoming);
    }
  }

  async function storeSubmitter(file: PackageFile) {
    const { submitterId, details } = await readSubmitterFile(reader, file);
    await referredFiles.recordSubmitter(id, { tenant, submitterId, entryPath: file.path, details });
  }
}
