/**
 * `POST /regulator/package-import` (interface §4.1). The middleware checks and receives the upload in the order of the
 * list; `process-upload.ts` processes it.
 */
import { randomUUID } from 'node:crypto';
import { packageKey } from '../../archive/storage.ts';
import { postPackageImportOf } from '../../contract/schemas/upload.ts';
import type { CheckResults } from '../../http/health.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { requireSession } from '../middleware/require-session.ts';
import { createReceivingSlots, limitFiles, limitUploads, requireFreeSpace } from '../quotas/upload-quotas.ts';
import { defineRoute } from '../route.ts';
import type { GatewayMiddleware } from '../state.ts';
import { readIdempotencyKey, readUploadQuery, refuseTooLarge, requireProcessing } from './before-body.ts';
import { createUploadProcess } from './process-upload.ts';
import { receiveArchive } from './receive-archive.ts';

export function importPackageRoute(
  dependencies: GatewayDependencies,
  askProcessing: () => Promise<CheckResults>,
) {
  const { database, storage, sessions, limits, quotas } = dependencies;
  const { maxUploadBytes, uploadIdleMs, uploadFloor, uploadsAtOnce, minFreeBytes } = limits;
  const { processingPatienceMs: patienceMs } = limits;
  const receiving = createReceivingSlots(uploadsAtOnce);
  return defineRoute({
    ...postPackageImportOf(maxUploadBytes),
    before: [
      readUploadQuery(),
      refuseTooLarge(maxUploadBytes),
      readIdempotencyKey(database.idempotency),
      unlessRepeated(unlessDryRun(requireSession(sessions))),
      unlessRepeated(requireProcessing({ ask: askProcessing, patienceMs })),
      unlessRepeated(limitUploads(quotas, maxUploadBytes)),
      unlessRepeated(requireFreeSpace(quotas, storage, { minFreeBytes, maxUploadBytes })),
      // After the client's own limit: an upload that is refused there takes no slot of the process.
      unlessRepeated(receiving.take),
      unlessRepeated(unlessDryRun(limitFiles(quotas))),
      receiveArchive({
        storage,
        maxFileBytes: maxUploadBytes,
        idleMs: uploadIdleMs,
        floor: uploadFloor,
        newKey: () => packageKey(randomUUID(), new Date()),
      }),
      receiving.giveBack,
    ],
    handle: createUploadProcess(dependencies),
  });
}

/** A repeated request gets its answer without a check of what a new import needs. */
function unlessRepeated(require: GatewayMiddleware): GatewayMiddleware {
  return (ctx, next) => (ctx.state.uploadKey?.known ? next() : require(ctx, next));
}

/** A dry run inserts nothing, so it needs no regulator session. */
function unlessDryRun(require: GatewayMiddleware): GatewayMiddleware {
  return (ctx, next) => (ctx.state.dryRun ? next() : require(ctx, next));
}
