/** `POST /regulator/package-import` (interface §4.1): the middleware list reads as the specification. */
import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { z } from 'zod';
import { packageKey } from '../../archive/storage.ts';
import type { PackageImportRow } from '../../database/entities/package-import.ts';
import { ImportFailed } from '../../domain/errors.ts';
import { PERMISSIONS } from '../../domain/permissions.ts';
import { sessionMessage } from '../../domain/regulator-session.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { badRequest, HttpError, sessionRequired, tooLarge } from '../http-error.ts';
import { countsOfAnswer, importMessage, presentAnswer } from '../presenters/package-import.ts';
import { defineRoute } from '../route.ts';
import { dryRunResult } from '../schemas/dry-run.ts';
import { importResult, uploadBody, uploadFields } from '../schemas/package-import.ts';
import { createDryRun } from './dry-run.ts';
import { idempotencyHeaders, type RequestKey, readIdempotencyKey } from './idempotency-key.ts';
import { FRAMING_BYTES, keepArchive, receiveArchive, type Upload } from './receive-archive.ts';
import { createImportRecorder } from './record-import.ts';

export function importPackageRoute(dependencies: GatewayDependencies) {
  const { database, storage, sessions, importRuns, limits } = dependencies;
  const recordImport = createImportRecorder(dependencies);
  const dryRun = createDryRun(dependencies);
  return defineRoute({
    method: 'post',
    path: '/regulator/package-import',
    operationId: 'postPackageImport',
    tag: 'Package imports',
    summary: 'Import a package ZIP',
    description:
      'Stores the ZIP, creates a submission for every product XML in it, queues each one for import into the ' +
      "regulator's system and answers with the result of each. The import itself goes on afterwards. With " +
      '`dry_run=true` the package is read and checked in the same way, and nothing is stored, created or queued.',
    permission: PERMISSIONS.importPackage,
    headers: idempotencyHeaders,
    multipart: uploadBody,
    answers: {
      200: {
        description: 'The ZIP was processed, or checked; details of partial results are in `data`',
        data: z.union([importResult, dryRunResult]),
      },
    },
    errors: {
      400: 'No file, not a .zip, not multipart, or an invalid e-mail address',
      412: 'No active regulator session; `data.regulator_session_message` says why',
      413: 'The ZIP file is larger than 2048 MB',
      422: 'The Idempotency-Key was used for something else',
    },
    before: [
      refuseTooLarge(limits.maxUploadBytes),
      readIdempotencyKey(database.idempotency),
      requireSessionUnlessRepeated(sessions),
      receiveArchive({
        storage,
        maxFileBytes: limits.maxUploadBytes,
        idleMs: limits.uploadIdleMs,
        newKey: () => packageKey(randomUUID(), new Date()),
      }),
    ],
    async handle({ caller, log, ctx, requestId }) {
      const { archive, fields } = ctx.state.upload as Upload;
      const { comment = null, email = null, dry_run: checkOnly } = validFields(fields);
      if (checkOnly) {
        const result = await dryRun(caller.clientId, archive);
        await discard(archive.storageKey, log);
        return result;
      }
      const idempotency = ctx.state.idempotency as RequestKey | undefined;
      const recorded = await recordImport({
        clientId: caller.clientId,
        archive,
        comment,
        email,
        idempotency,
      });
      if (recorded.repeated) {
        log.info({ import_id: recorded.id }, 'a request was repeated under its Idempotency-Key');
        await discard(archive.storageKey, log);
        await awaitFirst(recorded.record, requestId);
      } else {
        keepArchive(ctx);
        log.info({ import_id: recorded.id, size_bytes: archive.sizeBytes }, 'package stored');
        await processPackage(recorded.id, recorded.uuid, requestId);
      }
      const answer = await answerOf(recorded.id);
      return {
        message: importMessage(countsOfAnswer(answer)),
        data: answer,
        headers: recorded.repeated ? { 'Idempotent-Replayed': 'true' } : {},
      };
    },
  });

  async function discard(storageKey: string, log: Logger): Promise<void> {
    await storage
      .remove(storageKey)
      .catch((error) => log.error({ err: error }, 'a ZIP that is not needed stays behind'));
  }

  /** Until the first request has its answer; at once if it has. */
  async function awaitFirst(
    { id, uuid, status, failureReason, queuedAt }: PackageImportRow,
    requestId: string,
  ): Promise<void> {
    if (status === 'failed') throw new ImportFailed(failureReason ?? 'The package could not be read.');
    if (!queuedAt) await processPackage(id, uuid, requestId);
  }

  /** From here on the import goes on with or without this client. */
  async function processPackage(importId: number, importUuid: string, requestId: string): Promise<void> {
    try {
      await importRuns.process({ importId, importUuid }, requestId);
    } catch (error) {
      if (error instanceof ImportFailed) throw error;
      const message = `The package was stored as import ${importId}, but its processing could not be followed. It goes on by itself; ask GET /regulator/package-imports/${importId} for its state.`;
      throw new HttpError(500, message, { data: { id: importId }, cause: error });
    }
  }

  async function answerOf(importId: number) {
    const record = await database.imports.find(importId);
    if (!record) throw new Error(`import ${importId} has disappeared`);
    return presentAnswer(record, await database.imports.report(importId));
  }
}

/** By its announced length, before any of it is read. The file itself is counted exactly while it arrives. */
function refuseTooLarge(maxFileBytes: number): Middleware {
  return async (ctx, next) => {
    if (Number(ctx.get('content-length') || 0) > maxFileBytes + FRAMING_BYTES) throw tooLarge(maxFileBytes);
    await next();
  };
}

/** Interface §4.1 rule 6. */
export function requireSession(sessions: GatewayDependencies['sessions']): Middleware {
  return async (_ctx, next) => {
    const state = await sessions.state();
    if (state.status !== 'active') throw sessionRequired(sessionMessage(state));
    await next();
  };
}

/** Who asks again for an answer that exists needs no session for it. */
function requireSessionUnlessRepeated(sessions: GatewayDependencies['sessions']): Middleware {
  const require = requireSession(sessions);
  return async (ctx, next) => {
    if ((ctx.state.idempotency as RequestKey | undefined)?.known) await next();
    else await require(ctx, next);
  };
}

function validFields(fields: Readonly<Record<string, unknown>>) {
  const parsed = uploadFields.safeParse(fields);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `"${path.join('.')}" ${message}`);
  throw badRequest(`The form is invalid: ${faults.join('; ')}.`);
}
