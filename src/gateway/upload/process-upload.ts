/** Processes a received upload: as a dry run, or as an import that is recorded, run and answered. */
import type { Logger } from 'pino';
import type { DryRunResult, ImportResult } from '../../contract/types.ts';
import type { PackageImportRow } from '../../database/entities/package-import.ts';
import type { MendedFile } from '../../database/repositories/imports.ts';
import { ImportFailed } from '../../domain/client-errors.ts';
import { packageImportPath } from '../../domain/ids.ts';
import { importCounts } from '../../domain/package-import.ts';
import { IMPORT_CANCELLED } from '../../domain/queue.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { linkBase } from '../error-page.ts';
import { HttpError } from '../http-error.ts';
import { queuedImport } from '../presenters/import-source.ts';
import { importMessage, presentAnswer } from '../presenters/package-import.ts';
import {
  type GatewayState,
  type ReceivedArchive,
  type RouteAnswer,
  type RouteRequest,
  uploadIn,
} from '../route.ts';
import { createFailedFiles, type FailedFile } from '../routes/failed-file.ts';
import { createWebhookChecks } from '../routes/webhooks.ts';
import { digestOf, StreamedData } from '../streams.ts';
import { createDryRun } from './dry-run.ts';
import { createFormQuotas, readForm } from './form.ts';
import { createImportRecorder } from './record-import.ts';

type UploadRequest = Pick<RouteRequest<unknown, unknown, unknown>, 'caller' | 'state' | 'log' | 'requestId'>;
type UploadAnswer = RouteAnswer<ImportResult | DryRunResult>;

export function createUploadProcess(dependencies: GatewayDependencies) {
  const { database, storage } = dependencies;
  const base = linkBase(dependencies);
  const dryRun = createDryRun(dependencies);
  const quotas = createFormQuotas(dependencies);
  const webhooks = createWebhookChecks(dependencies);
  const findFailedFile = createFailedFiles(dependencies);
  const recordImport = createImportRecorder(dependencies);
  const { runImport, awaitFirstRun } = createImportRunner(dependencies);

  return async function processUpload(request: UploadRequest): Promise<UploadAnswer> {
    const { caller, state, log, requestId } = request;
    const upload = uploadIn(state);
    const { archive } = upload;
    const form = readForm(upload.fields);
    const { mended } = archive;
    const isRepeated = state.uploadKey?.known === true;
    // A repetition gets the first answer, whatever has become of the failed file since.
    const mending = isRepeated ? undefined : state.mends;
    const file = mending && mended ? await findFailedFile(caller, mending, mended.xmlFile) : null;
    const owner = { ...caller, ...file?.owner };
    if (state.dryRun || form.dryRun) {
      // The package of a request under a known key was not stored.
      if (isRepeated) throw keyOfAnImport();
      const result = await dryRun(owner, archive, state.dryRun);
      await discard(archive, log);
      return result;
    }
    quotas.requireRecipients(form);
    if (!isRepeated) {
      await webhooks.requireWebhook(owner, form);
      await quotas.takeMails(caller.clientId, form);
      await webhooks.take({ clientId: caller.clientId, tenant: owner.tenant }, form);
    }
    const mends = await mendedFile(state, archive, file);
    const recorded = await recordImport(upload, { owner, archive, ...form, mends, key: state.uploadKey });
    const { id } = recorded;
    if (recorded.repeated) {
      log.info({ import_id: id }, 'a request was repeated with its Idempotency-Key');
      await discard(archive, log);
      await awaitFirstRun(recorded.record, requestId);
      const answer = await answerTo(id);
      return { ...answer, headers: { ...answer.headers, 'Idempotent-Replayed': 'true' } };
    }
    log.info({ import_id: id, size_bytes: archive.sizeBytes }, 'package stored');
    await runImport({ ...recorded, clientId: owner.clientId }, requestId);
    return answerTo(id);
  };

  async function discard({ storageKey }: ReceivedArchive, log: Logger): Promise<void> {
    await storage
      .remove(storageKey)
      .catch((error) => log.error({ err: error }, 'a ZIP that belongs to no import was not removed'));
  }

  /** @throws ImportFailed if the import was cancelled before all its products were queued */
  async function answerTo(importId: number): Promise<UploadAnswer> {
    const source = await queuedImport(database.reports, importId).catch((cause: unknown) => {
      throw unreadAnswer(importId, cause);
    });
    if (!source.record.queuedAt) throw new ImportFailed(IMPORT_CANCELLED, 'import_cancelled', importId);
    return {
      message: importMessage(importCounts(source.counts, source.fileCounts)),
      data: new StreamedData(presentAnswer(source)),
      headers: { Location: base + packageImportPath(importId) },
    };
  }
}

function keyOfAnImport(): HttpError {
  const message =
    'This Idempotency-Key was used for an import. Send the dry run without a key, or request it in the query: ?dry_run=true.';
  return new HttpError('idempotency_key_reused', message);
}

/**
 * The file that the upload corrects, for the audit trail and the fingerprint. Null for most uploads.
 *
 * @param failed null if the upload is repeated: the import exists, and so does its audit event
 */
async function mendedFile(
  { mends }: Pick<GatewayState, 'mends'>,
  { mended }: ReceivedArchive,
  failed: FailedFile | null,
): Promise<MendedFile | null> {
  if (mends === undefined || !mended) return null;
  const sha256Before = failed === null ? '' : (await digestOf(await failed.open())).sha256;
  return { importId: mends, xmlFile: mended.xmlFile, sha256Before, sha256After: mended.sha256 };
}

/** The error if the result cannot be read. It names the import, so that the client can ask for the result. */
function unreadAnswer(id: number, cause: unknown): HttpError {
  const message = `The package was imported as import ${id}, but its result could not be read. Get it with GET ${packageImportPath(id)}.`;
  return new HttpError('outcome_unknown', message, { data: { id }, cause });
}

/** Runs a recorded import: starts or joins its workflow, and waits for the result. */
function createImportRunner({ importWorkflows }: Pick<GatewayDependencies, 'importWorkflows'>) {
  /**
   * Waits until every product has its queue result. The import continues even if the client disconnects.
   *
   * @throws ImportFailed; HttpError if the result of the import is unknown
   */
  async function runImport(
    record: Pick<PackageImportRow, 'id' | 'uuid' | 'clientId'>,
    requestId: string,
  ): Promise<void> {
    const { id, uuid, clientId } = record;
    try {
      await importWorkflows.process({ importId: id, importUuid: uuid, clientId }, requestId);
    } catch (error) {
      if (error instanceof ImportFailed) throw error;
      const message = `The package was stored as import ${id}, but the request could not wait for its result. The import continues. Get its state with GET ${packageImportPath(id)}.`;
      throw new HttpError('outcome_unknown', message, { data: { id }, cause: error });
    }
  }

  /**
   * Waits until the first of several equal requests has its result; returns at once if it has one.
   *
   * @throws as `runImport`
   */
  async function awaitFirstRun(record: PackageImportRow, requestId: string): Promise<void> {
    const { id, status, failureReason, failureCode } = record;
    if (status === 'failed') throw new ImportFailed(failureReason ?? '', failureCode ?? 'import_failed', id);
    if (status === 'extracting') await runImport(record, requestId);
  }

  return { runImport, awaitFirstRun };
}
