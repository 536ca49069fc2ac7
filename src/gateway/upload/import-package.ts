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
import { createReceivingSlots, limitUploads, requireFreeSpace } from '../quotas/upload-quotas.ts';
import { defineRoute } from '../route.ts';
import type { GatewayMiddleware } from '../state.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { createUploadProcess } from './process-upload.ts';
import { receiveArchive } from './receive-archive.ts';
import { requireProcessing } from './require-processing.ts';
import { refuseTooLarge } from './size-limit.ts';
import { readUploadQuery } from './upload-query.ts';

export function importPackageRoute(
  dependencies: GatewayDependencies,
  askProcessing: () => Promise<CheckResults>,
) {
  const { database, storage, sessions, limits, quotas, processing } = dependencies;
  const { maxUploadBytes, uploadIdleMs, uploadFloor, uploadsAtOnce, minFreeBytes } = limits;
  const { processingPatienceMs: patienceMs } = limits;
  const receiving = createReceivingSlots(uploadsAtOnce);
  return defineRoute({
    ...postPackageImportOf(maxUploadBytes),
    before: [
      readUploadQuery(),
      refuseTooLarge(maxUploadBytes),
      requireFreeSpace(storage, minFreeBytes),
      readIdempotencyKey(database.idempotency),
      unlessNothingIsInserted(requireSession(sessions)),
      requireProcessing({ ask: askProcessing, needed: Object.keys(processing.uploads), patienceMs }),
      limitUploads(quotas),
      // After the client's own limit: an upload that is refused there takes no slot of the process.
      receiving.take,
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

/** A repeated request and a dry run insert nothing, so they need no regulator session. */
function unlessNothingIsInserted(require: GatewayMiddleware): GatewayMiddleware {
  return async (ctx, next) => {
    if (ctx.state.uploadKey?.known || ctx.state.dryRun) await next();
    else await require(ctx, next);
  };
}
