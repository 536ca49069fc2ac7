/** Processes a received upload: as a dry run, or as an import that is recorded, run and answered. */
import type { Logger } from 'pino';
import type { DryRunResult, ImportResult } from '../../contract/types.ts';
import { packageImportPath } from '../../domain/ids.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { HttpError } from '../http-error.ts';
import { StreamedData } from '../json-stream.ts';
import { visibleSubmitters } from '../ownership.ts';
import { countsOf, importMessage, presentAnswer } from '../presenters/package-import.ts';
import { queuedImport } from '../reports/import-source.ts';
import type { RouteAnswer, RouteRequest } from '../route.ts';
import { uploadIn } from '../state.ts';
import type { Caller } from '../tokens/access-token.ts';
import { createWebhookChecks } from '../webhook-checks.ts';
import { createDryRun } from './dry-run.ts';
import { readForm } from './form.ts';
import { createFormQuotas } from './form-quotas.ts';
import type { ReceivedArchive } from './received-upload.ts';
import { createImportRecorder } from './record-import.ts';
import { createImportRunner } from './run-import.ts';

type UploadRequest = Pick<RouteRequest<unknown, unknown, unknown>, 'caller' | 'state' | 'log' | 'requestId'>;
type UploadAnswer = RouteAnswer<ImportResult | DryRunResult>;

export function createUploadProcess(dependencies: GatewayDependencies) {
  const { database, storage, publicUrl, basePath } = dependencies;
  const base = publicUrl?.replace(/\/+$/, '') ?? basePath;
  const dryRun = createDryRun(dependencies);
  const quotas = createFormQuotas(dependencies);
  const webhooks = createWebhookChecks(dependencies);
  const recordImport = createImportRecorder(dependencies);
  const { runImport, awaitFirstRun } = createImportRunner(dependencies);

  return async function processUpload(request: UploadRequest): Promise<UploadAnswer> {
    const { caller, state, log, requestId } = request;
    const { clientId, actor, submitters } = caller;
    const upload = uploadIn(state);
    const { archive } = upload;
    const form = readForm(upload.fields);
    if (state.dryRun || form.dryRun) {
      const result = await dryRun(caller, archive, state.dryRun);
      await discard(archive, log);
      return result;
    }
    quotas.requireRecipients(form);
    if (!state.uploadKey?.known) {
      await webhooks.requireWebhook(clientId, form);
      await quotas.takeMails(clientId, form);
      await webhooks.take(clientId, form);
    }
    const recorded = await recordImport(upload, {
      clientId,
      actor,
      submitters,
      archive,
      ...form,
      key: state.uploadKey,
    });
    const { id } = recorded;
    if (recorded.repeated) {
      log.info({ import_id: id }, 'a request was repeated under its Idempotency-Key');
      await discard(archive, log);
      await awaitFirstRun(recorded.record, requestId);
      const answer = await answerTo(caller, id);
      return { ...answer, headers: { ...answer.headers, 'Idempotent-Replayed': 'true' } };
    }
    log.info({ import_id: id, size_bytes: archive.sizeBytes }, 'package stored');
    await runImport({ ...recorded, clientId }, requestId);
    return answerTo(caller, id);
  };

  async function discard({ storageKey }: ReceivedArchive, log: Logger): Promise<void> {
    await storage
      .remove(storageKey)
      .catch((error) => log.error({ err: error }, 'a ZIP that is not needed stays behind'));
  }

  async function answerTo(caller: Caller, importId: number): Promise<UploadAnswer> {
    const view = { importId, submitters: visibleSubmitters(caller) };
    const source = await queuedImport(database.reports, view).catch((cause: unknown) => {
      throw unreadAnswer(importId, cause);
    });
    if (!source) throw unreadAnswer(importId, new Error('it has disappeared'));
    return {
      message: importMessage(countsOf(source)),
      data: new StreamedData(presentAnswer(source)),
      headers: { Location: base + packageImportPath(importId) },
    };
  }
}

/** The error if the result cannot be read. It names the import, so that the client can ask for the result. */
function unreadAnswer(id: number, cause: unknown): HttpError {
  const message = `The package was imported as import ${id}, but its result could not be read; ask GET ${packageImportPath(id)} for it.`;
  return new HttpError('outcome_unknown', message, { data: { id }, cause });
}
