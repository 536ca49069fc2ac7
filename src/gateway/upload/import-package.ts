/**
 * `POST /regulator/package-import` (interface §4.1): what a client is promised. The middleware list reads as the
 * specification; what then happens with a package is in `process-upload.ts`.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { packageKey } from '../../archive/storage.ts';
import { PERMISSIONS } from '../../domain/permissions.ts';
import type { CheckResults } from '../../http/health.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { wholeMb } from '../http-error.ts';
import { requireSession } from '../middleware/require-session.ts';
import { createReceivingSlots, limitUploads, requireFreeSpace } from '../quotas/upload-quotas.ts';
import { defineRoute } from '../route.ts';
import { dryRunResult } from '../schemas/dry-run.ts';
import { importResult } from '../schemas/package-import.ts';
import type { GatewayMiddleware } from '../state.ts';
import { uploadBody } from './form.ts';
import { idempotencyHeaders, readIdempotencyKey } from './idempotency-key.ts';
import { createUploadProcess } from './process-upload.ts';
import { receiveArchive } from './receive-archive.ts';
import { requireProcessing } from './require-processing.ts';
import { refuseTooLarge } from './size-limit.ts';
import { readUploadQuery, uploadQuery } from './upload-query.ts';

export function importPackageRoute(
  dependencies: GatewayDependencies,
  askProcessing: () => Promise<CheckResults>,
) {
  const { database, storage, sessions, limits, quotas, processing } = dependencies;
  const { maxUploadBytes, uploadIdleMs, uploadFloor, uploadsAtOnce, minFreeBytes } = limits;
  const { processingPatienceMs: patienceMs } = limits;
  const receiving = createReceivingSlots(uploadsAtOnce);
  return defineRoute({
    method: 'post',
    path: '/regulator/package-import',
    operationId: 'postPackageImport',
    tag: 'Package imports',
    summary: 'Import a package ZIP',
    description:
      'Stores the ZIP, creates a submission for every product XML in it, queues each one for import into the ' +
      "regulator's system and answers with the result of each. The import itself goes on afterwards. With " +
      '`dry_run=true`, in the query or the form, the package is read and checked in the same way, and nothing is stored, ' +
      'created or queued.',
    permission: PERMISSIONS.importPackage,
    query: uploadQuery,
    headers: idempotencyHeaders,
    multipart: uploadBody(maxUploadBytes),
    answers: {
      200: {
        description: 'The ZIP was processed, or checked; details of partial results are in `data`',
        data: z.union([importResult, dryRunResult]),
        headers: ['Location', 'Idempotent-Replayed'],
      },
    },
    errors: {
      400: 'No file, not a .zip, not multipart, an invalid query or e-mail address, or a `webhook_url` that messages may not go to',
      409: 'The form has a `webhook_url`, and the client no webhook whose secret would sign the message',
      412: 'No active regulator session, and the query asks for no dry run; `data.regulator_session_message` says why',
      413: `The ZIP file is larger than ${wholeMb(maxUploadBytes)} MB`,
      422: 'The Idempotency-Key was used for something else',
      429: 'The client does too much at once or in a while; `RateLimit-Policy` says of what, `Retry-After` when to come back',
      503: {
        description:
          'The gateway is receiving as many uploads as it may, the storage has no room, or nobody would process the package',
        headers: ['Retry-After'],
      },
    },
    before: [
      readUploadQuery(),
      refuseTooLarge(maxUploadBytes),
      requireFreeSpace(storage, minFreeBytes),
      readIdempotencyKey(database.idempotency),
      unlessNothingIsInserted(requireSession(sessions)),
      requireProcessing({ ask: askProcessing, needed: Object.keys(processing.uploads), patienceMs }),
      limitUploads(quotas),
      // Behind the client's own limit: an upload that waits for that one keeps nobody out.
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

/** Who asks again for an answer that exists, or for a dry run, needs no session for it. */
function unlessNothingIsInserted(require: GatewayMiddleware): GatewayMiddleware {
  return async (ctx, next) => {
    if (ctx.state.uploadKey?.known || ctx.state.dryRun) await next();
    else await require(ctx, next);
  };
}
