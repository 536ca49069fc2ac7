/** From an upload to the record of its import: a new one, or the one that the same request made before. */
import { createHash, randomUUID } from 'node:crypto';
import type { PackageImportRow } from '../../database/entities/package-import.ts';
import type { NewImport } from '../../database/repositories/imports.ts';
import type { Submitters } from '../../domain/submitters.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { HttpError } from '../http-error.ts';
import type { ReceivedArchive, UploadKey } from './received-upload.ts';

export interface ImportRequest {
  clientId: string;
  /** Whose products it may bring; null for all. */
  submitters: Submitters;
  archive: ReceivedArchive;
  comment: string | null;
  /** Recipient of the summary, or null for the configured one. */
  email: string | null;
  /** Of a request with an Idempotency-Key. */
  key: UploadKey | undefined;
}

export type RecordedImport =
  | { repeated: false; id: number; uuid: string }
  /** Sent before: the archive of this request is not needed. */
  | { repeated: true; id: number; uuid: string; record: PackageImportRow };

export function createImportRecorder({
  database,
  storage,
  defaultRecipient,
}: Pick<GatewayDependencies, 'database' | 'storage' | 'defaultRecipient'>) {
  /** @throws HttpError 422 when the key was used for something else */
  return async function recordImport(request: ImportRequest): Promise<RecordedImport> {
    const { clientId, submitters, archive, comment, email, key } = request;
    const uuid = randomUUID();
    const values: NewImport = {
      uuid,
      clientId,
      submitters,
      comment,
      fileName: archive.fileName,
      storageKey: archive.storageKey,
      zipFilePath: storage.locate(archive.storageKey),
      sizeBytes: archive.sizeBytes,
      uploadedAt: new Date(),
      notificationEmail: email ?? defaultRecipient,
    };
    if (!key) return { repeated: false, id: await database.imports.create(values), uuid };
    const result = await database.idempotency.create(values, key.key, fingerprintOf(request));
    if (result.kind === 'conflict') throw usedForSomethingElse(result.importId);
    if (result.kind === 'created') return { repeated: false, id: result.importId, uuid };
    const { record } = result;
    return { repeated: true, id: record.id, uuid: record.uuid, record };
  };
}

/** Over everything that the client chose. Not over the file name, which decides nothing. */
function fingerprintOf({ archive, comment, email }: ImportRequest): string {
  return createHash('sha256')
    .update(JSON.stringify([archive.sha256, comment, email]))
    .digest('hex');
}

function usedForSomethingElse(importId: number): HttpError {
  return new HttpError(
    'idempotency_key_reused',
    `This Idempotency-Key was used for another file, comment or e-mail address (import ${importId}). Use a new key for a new import.`,
    { data: { id: importId } },
  );
}
