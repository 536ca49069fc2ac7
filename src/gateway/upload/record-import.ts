/**
 * Records the import of an upload, or finds the import that an equal request with the same `Idempotency-Key` has recorded
 * before (decision §repeated-uploads).
 */
import { hash, randomUUID } from 'node:crypto';
import { IDEMPOTENCY_KEY_LENGTH } from '../../contract/limits.ts';
import { joinAddresses } from '../../contract/recipients.ts';
import { idempotencyKey } from '../../contract/schemas/upload.ts';
import type { PackageImportRow } from '../../database/entities/package-import.ts';
import type { CreatedOnce, IdempotencyRepository } from '../../database/repositories/idempotency.ts';
import type { MendedFile, NewImport } from '../../database/repositories/imports.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { badRequest, HttpError } from '../http-error.ts';
import type { GatewayContext } from '../route.ts';
import type { Caller } from '../tokens/access-token.ts';
import type { UploadForm } from './form.ts';
import type { ReceivedArchive, Upload } from './receive-archive.ts';

export interface UploadKey {
  /** The caller's tenant, also if the import belongs to another one. */
  tenant: string;
  key: string;
  /** Whether the tenant has used the key before. */
  known: boolean;
}

/**
 * Reads the header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header). Accepts the quoted string of the
 * draft, and the bare key that most clients send.
 *
 * @returns undefined if the request has none
 * @throws HttpError 400
 */
export async function readIdempotencyKey(
  idempotency: Pick<IdempotencyRepository, 'knows'>,
  { tenant }: Caller,
  { headers }: GatewayContext,
): Promise<UploadKey | undefined> {
  const header = headers['idempotency-key'];
  if (header === undefined) return undefined;
  const key = String(header)
    .trim()
    .replace(/^"(.*)"$/, '$1');
  if (!idempotencyKey.safeParse(key).success) {
    throw badRequest(
      `The header Idempotency-Key must be given once, with 1 to ${IDEMPOTENCY_KEY_LENGTH} printable ASCII characters and no blanks.`,
    );
  }
  return { tenant, key, known: await idempotency.knows(tenant, key) };
}

interface ImportRequest extends UploadForm {
  /** The caller, or who owns the file that the caller mends; `actor` is the caller. */
  owner: Pick<Caller, 'clientId' | 'tenant' | 'actor' | 'submitters'>;
  archive: ReceivedArchive;
  /** The failed file that it corrects; null for most imports. */
  mends: MendedFile | null;
  /** Set if the request has an Idempotency-Key. */
  key: UploadKey | undefined;
}

interface RecordedImport {
  record: PackageImportRow;
  /** Whether an equal request has recorded it before: then the archive is not needed. */
  repeated: boolean;
}

export function createImportRecorder({
  database,
  storage,
  defaultRecipient,
}: Pick<GatewayDependencies, 'database' | 'storage' | 'defaultRecipient'>) {
  /**
   * Sets `upload.kept` if the import is stored, or if it is unknown whether it is.
   *
   * @throws HttpError if the key was used for another request, or if it is unknown whether the import is stored
   */
  return async function recordImport(
    upload: Pick<Upload, 'kept'>,
    request: ImportRequest,
  ): Promise<RecordedImport> {
    const uuid = randomUUID();
    const recorded = await record(request, uuid).catch((error: unknown) =>
      resolveUnknownCommit(upload, uuid, error),
    );
    upload.kept = !recorded.repeated;
    return recorded;
  };

  /** Looks the import up after an error: a COMMIT whose answer was lost may have stored it. */
  async function resolveUnknownCommit(
    upload: Pick<Upload, 'kept'>,
    uuid: string,
    error: unknown,
  ): Promise<RecordedImport> {
    if (error instanceof HttpError) throw error;
    const stored = await database.imports.findSettled(uuid).catch((cause: unknown) => {
      upload.kept = true; // Retention removes it when there turns out to be no import.
      throw commitUnknown(cause);
    });
    if (stored === null) throw error;
    return { record: stored, repeated: false };
  }

  async function record(request: ImportRequest, uuid: string): Promise<RecordedImport> {
    const { owner, archive, comment, emails, webhookUrl, mends, key } = request;
    const { clientId, tenant, actor, submitters } = owner;
    if (key?.known) {
      // The archive of such a request is not stored.
      const result = await database.idempotency.repeat(key.tenant, key.key, fingerprintOf(request));
      if (result === null) throw keyExpired();
      return recordedBy(result);
    }
    const values: NewImport = {
      uuid,
      clientId,
      tenant,
      actor,
      submitters,
      comment,
      fileName: archive.fileName,
      storageKey: archive.storageKey,
      zipFilePath: storage.locate(archive.storageKey),
      sizeBytes: archive.sizeBytes,
      sha256: archive.sha256,
      uploadedAt: new Date(),
      notificationEmail: emails.length > 0 ? joinAddresses(emails) : defaultRecipient,
      webhookUrl,
      ...(mends && { mends }),
    };
    if (!key) return { record: await database.imports.create(values), repeated: false };
    return recordedBy(await database.idempotency.create(values, key, fingerprintOf(request)));
  }
}

/** Fingerprint of the request: of everything that the client chose, except the file name, which changes no result. */
function fingerprintOf({ archive, comment, emails, webhookUrl, dryRun, mends }: ImportRequest): string {
  const email = emails.length > 0 ? joinAddresses(emails) : null;
  // The digest of a package that we built differs from one request to the next.
  const content = mends ? [mends.importId, mends.xmlFile, mends.sha256After] : archive.sha256;
  // Without a webhook, the fingerprint has no element for it. A dry run never has the fingerprint of an import.
  const chosen = [
    content,
    comment,
    email,
    ...(webhookUrl === null ? [] : [webhookUrl]),
    ...(dryRun ? [dryRun] : []),
  ];
  return hash('sha256', JSON.stringify(chosen));
}

/** @throws HttpError 422 */
function recordedBy(result: CreatedOnce): RecordedImport {
  if (result.kind === 'conflict') throw keyReused(result.importId);
  return { record: result.record, repeated: result.kind === 'repeated' };
}

function keyExpired(): HttpError {
  return new HttpError(
    'temporarily_unavailable',
    'The Idempotency-Key expired during this request. Nothing was imported. Send the request again.',
    { headers: { 'Retry-After': '1' } },
  );
}

function commitUnknown(cause: unknown): HttpError {
  return new HttpError(
    'temporarily_unavailable',
    'The database does not answer. The import may have been stored. Look for it with GET /regulator/package-imports before you send the package again, or send it again with the same Idempotency-Key.',
    { cause },
  );
}

function keyReused(importId: number): HttpError {
  return new HttpError(
    'idempotency_key_reused',
    `This Idempotency-Key was used for another file, comment, e-mail address or webhook, or for an import instead of a dry run (import ${importId}). Use a new key for a new import.`,
    { data: { id: importId } },
  );
}
