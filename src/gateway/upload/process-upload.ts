/** Processes a received upload: as a dry run, or as an import that is recorded, run and answered. */
import type { z } from 'zod';
import type { postPackageImport } from '../../contract/schemas/index.ts';
import type { DryRunResult, ImportResult } from '../../contract/types.ts';
import type { PackageImportRow } from '../../database/entities/package-import.ts';
import { ImportFailed } from '../../domain/client-errors.ts';
import { packageImportPath } from '../../domain/ids.ts';
import { importCounts } from '../../domain/package-import.ts';
import { IMPORT_CANCELLED } from '../../domain/queue.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { linkBase } from '../error-page.ts';
import { HttpError } from '../http-error.ts';
import { queuedImport } from '../presenters/import-source.ts';
import { importMessage, presentAnswer } from '../presenters/package-import.ts';
import { takeFromRate } from '../quotas/client-quotas.ts';
import type { RouteAnswer, RouteRequest } from '../route.ts';
import { findFailedFile } from '../routes/failed-file.ts';
import { createWebhookChecks } from '../routes/webhooks.ts';
import { StreamedData, sha256Of } from '../streams.ts';
import { dryRun } from './dry-run.ts';
import { readForm, requireRecipients } from './form.ts';
import type { Upload } from './receive-archive.ts';
import { createImportRecorder, type UploadKey } from './record-import.ts';

type UploadRequest = RouteRequest<unknown, z.output<typeof postPackageImport.query>>;
type UploadAnswer = RouteAnswer<ImportResult | DryRunResult>;

export function createUploadProcess(dependencies: GatewayDependencies) {
  const { database, importWorkflows, quotas, defaultRecipient } = dependencies;
  const base = linkBase(dependencies);
  const webhooks = createWebhookChecks(dependencies);
  const recordImport = createImportRecorder(dependencies);

  return async function processUpload(
    { caller, query, ctx }: UploadRequest,
    upload: Upload,
    key: UploadKey | undefined,
  ): Promise<UploadAnswer> {
    const { log, requestId } = ctx.state;
    const { archive } = upload;
    const { mended } = archive;
    const form = readForm(upload.fields);
    const isRepeated = key?.known === true;
    // A repetition gets the first answer, whatever has become of the failed file since.
    const failed = mended && !isRepeated ? await findFailedFile(dependencies, caller, mended) : null;
    const owner = { ...caller, ...failed?.owner };
    // The package of a request under a known key was not stored.
    if ((query.dry_run || form.dryRun) && !isRepeated)
      return dryRun(dependencies, owner, archive, query.diff);
    requireRecipients(quotas, form);
    if (!isRepeated) {
      await webhooks.takeForImport({ ...owner, clientId: caller.clientId }, form.webhookUrl);
      const recipients = form.emails.length || Number(defaultRecipient !== null);
      await takeFromRate(quotas.mails, caller.clientId, recipients);
    }
    // The audit event of a repeated import has the digest already.
    const sha256Before = failed ? (await sha256Of(await failed.open())).sha256 : '';
    const mends = mended ? { ...mended, sha256Before } : null;
    const recorded = await recordImport(upload, { owner, archive, ...form, mends, key });
    const { id } = recorded.record;
    if (recorded.repeated) log.info({ import_id: id }, 'a request was repeated with its Idempotency-Key');
    else log.info({ import_id: id, size_bytes: archive.sizeBytes }, 'package stored');
    await awaitQueued(recorded.record, requestId);
    const answer = await answerTo(id);
    if (recorded.repeated) answer.headers['Idempotent-Replayed'] = 'true';
    return answer;
  };

  /**
   * Starts or joins the import's workflow, and waits until every product has its queue result. Returns at once if the
   * import has them. The import continues even if the client disconnects.
   *
   * @throws ImportFailed; HttpError if the result of the import is unknown
   */
  async function awaitQueued(record: PackageImportRow, requestId: string): Promise<void> {
    const { id, uuid, clientId, status, failureReason, failureCode } = record;
    if (status === 'failed') throw new ImportFailed(failureReason ?? '', failureCode ?? 'import_failed', id);
    if (status !== 'extracting') return;
    try {
      await importWorkflows.process({ importId: id, importUuid: uuid, clientId }, requestId);
    } catch (error) {
      if (error instanceof ImportFailed) throw error;
      const message = `The package was stored as import ${id}, but the request could not wait for its result. The import continues. Get its state with GET ${packageImportPath(id)}.`;
      throw new HttpError('outcome_unknown', message, { data: { id }, cause: error });
    }
  }

  /** @throws ImportFailed if the import was cancelled before all its products were queued */
  async function answerTo(importId: number) {
    const source = await queuedImport(database.reports, importId).catch((cause: unknown) => {
      throw unreadAnswer(importId, cause);
    });
    if (!source.record.queuedAt) throw new ImportFailed(IMPORT_CANCELLED, 'import_cancelled', importId);
    const headers: Record<string, string> = { Location: base + packageImportPath(importId) };
    return {
      message: importMessage(importCounts(source.counts, source.fileCounts)),
      data: new StreamedData(presentAnswer(source)),
      headers,
    };
  }
}

/** The error if the result cannot be read. It names the import, so that the client can ask for the result. */
function unreadAnswer(id: number, cause: unknown): HttpError {
  const message = `The package was imported as import ${id}, but its result could not be read. Get it with GET ${packageImportPath(id)}.`;
  return new HttpError('outcome_unknown', message, { data: { id }, cause });
}
