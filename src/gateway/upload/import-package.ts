/** `POST /regulator/package-import` (interface §4.1): admits, receives and processes an upload. */
import { PERMISSIONS } from '../../contract/operations.ts';
import { postPackageImportOf } from '../../contract/schemas/upload.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { tooLarge } from '../http-error.ts';
import { takeFromRate } from '../quotas/client-quotas.ts';
import { createReceivingPlaces, createUploadRoom } from '../quotas/upload-quotas.ts';
import { createProcessingCheck, requirePermission, requireSession } from '../requirements.ts';
import { defineRoute } from '../route.ts';
import { maxBodyBytes } from './multipart-body.ts';
import { createUploadProcess } from './process-upload.ts';
import { createReceiver } from './receive-archive.ts';
import { readIdempotencyKey } from './record-import.ts';

export function importPackageRoute(dependencies: GatewayDependencies) {
  const { database, sessions, limits, quotas } = dependencies;
  const { maxUploadBytes } = limits;
  const requireProcessing = createProcessingCheck(dependencies);
  const reserveRoom = createUploadRoom(dependencies);
  const takePlace = createReceivingPlaces(limits.uploadsAtOnce);
  const receive = createReceiver(dependencies);
  const processUpload = createUploadProcess(dependencies);

  return defineRoute({
    ...postPackageImportOf(maxUploadBytes),
    /** Nothing of the body is read before `receive` (decision §refuse-before-the-body). */
    async handle(request) {
      const { caller, ctx, query } = request;
      const { clientId } = caller;
      const { mends } = query;
      const isDryRun = query.dry_run === true;
      if (mends !== undefined) requirePermission(caller, PERMISSIONS.mendProducts);
      // A chunked body announces no length, so it may have the maximum.
      const announced = Number(ctx.get('content-length') || maxUploadBytes);
      if (announced > maxBodyBytes(maxUploadBytes)) throw tooLarge(maxUploadBytes);
      // A dry run ignores the key: it has nothing to repeat.
      const key = isDryRun ? undefined : await readIdempotencyKey(database.idempotency, caller, ctx);
      // A repeated request gets its answer without the checks of a new import.
      const isNew = !key?.known;
      await using held = new AsyncDisposableStack();
      if (isNew) {
        // A dry run inserts nothing.
        if (!isDryRun) await requireSession(sessions);
        await requireProcessing();
        // Reserves twice the length: once for the ZIP, once for its attachments, which a ZIP hardly compresses.
        await reserveRoom(clientId, isDryRun ? announced : 2 * announced, held);
      }
      // After the client's own limit: an upload that is refused there takes no place of the process.
      // A repetition takes one, too: its text parts are held in memory while it arrives.
      const releasePlace = takePlace(clientId);
      held.defer(releasePlace);
      // The package itself counts as one file: its import is a record, even if it has no file that can be read.
      if (isNew && !isDryRun) await takeFromRate(quotas.files, clientId, 1);
      const upload = await receive(ctx, { mends, isStored: isNew }, held);
      // The processing takes long, but needs little memory.
      releasePlace();
      // `await` keeps the reservations until the processing has ended.
      return await processUpload(request, upload, key);
    },
  });
}
