/**
 * `POST /regulator/package-import` (interface §4.1). The middleware checks and receives the upload in the order of the
 * list; `process-upload.ts` processes it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { IDEMPOTENCY_KEY_LENGTH } from '../../contract/limits.ts';
import { PERMISSIONS } from '../../contract/operations.ts';
import { idempotencyKey, postPackageImportOf } from '../../contract/schemas/upload.ts';
import type { IdempotencyRepository } from '../../database/repositories/idempotency.ts';
import { type CheckResults, cachedChecks } from '../../http/health.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { badRequest, HttpError, tooLarge } from '../http-error.ts';
import { requirePermission, requireSession, runIf } from '../middleware.ts';
import { limitFiles, limitReceiving, limitUploads, requireFreeSpace } from '../quotas/upload-quotas.ts';
import { callerIn, defineRoute, type GatewayMiddleware, queryIn } from '../route.ts';
import { maxBodyBytes } from './multipart-body.ts';
import { createUploadProcess } from './process-upload.ts';
import { receiveArchive } from './receive-archive.ts';

export function importPackageRoute(dependencies: GatewayDependencies) {
  const { database, storage, sessions, limits, quotas, processing, logger } = dependencies;
  const { maxUploadBytes, processingPatienceMs, uploadsAtOnce } = limits;
  const askProcessing = cachedChecks(processing.uploads, logger);
  return defineRoute({
    ...postPackageImportOf(maxUploadBytes),
    before: [
      ifMending(requirePermission(PERMISSIONS.mendProducts)),
      refuseTooLarge(maxUploadBytes),
      readIdempotencyKey(database.idempotency),
      unlessRepeated(unlessDryRun(requireSession(sessions))),
      unlessRepeated(requireProcessing(askProcessing, processingPatienceMs)),
      unlessRepeated(limitUploads(quotas, maxUploadBytes)),
      unlessRepeated(requireFreeSpace(quotas, storage, limits)),
      // After the client's own limit: an upload that is refused there takes no slot of the process.
      // A repetition takes one, too: its text parts are held in memory while it arrives.
      limitReceiving(uploadsAtOnce),
      unlessRepeated(unlessDryRun(limitFiles(quotas))),
      receiveArchive(dependencies),
    ],
    handle: createUploadProcess(dependencies),
  });
}

/** A correction of a failed product file needs more than an upload. */
const ifMending = runIf(({ state }) => queryIn(state).mends !== undefined);

/** A repeated request gets its answer without a check of what only a new import needs. */
const unlessRepeated = runIf(({ state }) => !state.uploadKey?.known);

/** A dry run inserts nothing, so it needs no regulator session. */
const unlessDryRun = runIf(({ state }) => !queryIn(state).dry_run);

/** Refuses a too large upload by its Content-Length. */
function refuseTooLarge(maxFileBytes: number): GatewayMiddleware {
  return async (ctx, next) => {
    const announced = Number(ctx.get('content-length') || 0);
    if (announced > maxBodyBytes(maxFileBytes)) throw tooLarge(maxFileBytes);
    await next();
  };
}

/**
 * Sets `ctx.state.uploadKey` from the header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header). A client that
 * lost the answer repeats the request under the same key and gets the first answer. A dry run ignores the key: it has
 * nothing to repeat.
 */
function readIdempotencyKey(idempotency: Pick<IdempotencyRepository, 'knows'>): GatewayMiddleware {
  return async (ctx, next) => {
    const isSent = ctx.headers['idempotency-key'] !== undefined;
    if (isSent && !queryIn(ctx.state).dry_run) {
      const key = validKey(ctx.get('idempotency-key'));
      const { tenant } = callerIn(ctx.state);
      ctx.state.uploadKey = { tenant, key, known: await idempotency.knows(tenant, key) };
    }
    await next();
  };
}

/** Accepts the quoted string of the draft, and the bare key that most clients send. */
function validKey(header: string): string {
  const key = header.trim().replace(/^"(.*)"$/, '$1');
  if (!idempotencyKey.safeParse(key).success) {
    throw badRequest(
      `The header Idempotency-Key must be given once, with 1 to ${IDEMPOTENCY_KEY_LENGTH} printable ASCII characters and no blanks.`,
    );
  }
  return key;
}

/** Seconds after which a worker or Temporal is usually available again. */
const PROCESSING_RETRY_S = 15;
/** Interval of the checks, which are cached for a second. */
const LOOK_EVERY_MS = 1_000;

/**
 * Refuses an upload if no worker could process it, so that a client does not send 2 GB in vain.
 *
 * @param ask checks what processing depends on. Cheap, because the result is cached for a second
 * @param patienceMs milliseconds that an upload waits for a restarting process before it is refused
 */
function requireProcessing(ask: () => Promise<CheckResults>, patienceMs: number): GatewayMiddleware {
  return async (_ctx, next) => {
    const giveUpAt = performance.now() + patienceMs;
    for (;;) {
      const { ok, checks } = await ask();
      if (ok) break;
      const leftMs = giveUpAt - performance.now();
      if (leftMs <= 0) throw processingUnavailable(checks);
      await sleep(Math.min(LOOK_EVERY_MS, leftMs));
    }
    await next();
  };
}

function processingUnavailable(checks: CheckResults['checks']): HttpError {
  const missing = Object.keys(checks).filter((name) => checks[name] !== 'ok');
  const message =
    'No package can be processed now: Temporal or a worker is unavailable. Send the package again later.';
  return new HttpError('processing_unavailable', message, {
    headers: { 'Retry-After': String(PROCESSING_RETRY_S) },
    cause: `missing: ${missing.join(', ')}`,
  });
}
