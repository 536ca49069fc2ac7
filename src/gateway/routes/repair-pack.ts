/** Download of an import's repair pack. */

import { FileMissing, StorageFailure } from '../../archive/storage.ts';
import type { ErrorCode } from '../../contract/error-codes.ts';
import { getRepairPack, REPAIR_REASONS } from '../../contract/schemas/package-imports.ts';
import type { PackageImportRow } from '../../database/entities/package-import.ts';
import { ArchiveRemoved, TooManyPackages } from '../../domain/errors.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { HttpError } from '../http-error.ts';
import { ownedBy, visibleSubmitters } from '../ownership.ts';
import { filesToRepair, reasonsCsv } from '../presenters/repair-reasons.ts';
import { defineRoute } from '../route.ts';

export function repairPackRoute({ database, repairPacks }: GatewayDependencies) {
  return defineRoute({
    ...getRepairPack,
    async handle({ caller, params: { id } }) {
      const record = ownedBy(caller, await database.imports.find(id), 'Package import', id);
      requireReadPackage(record);
      const view = { importId: id, submitters: visibleSubmitters(caller) };
      const files = await database.reports.onSnapshot(view, filesToRepair);
      if (files.length === 0)
        throw nothingFor(id, 'nothing_to_repair', `Nothing of package import ${id} has failed.`);
      const pack = {
        storageKey: record.storageKey,
        paths: new Set(files.map(({ path }) => path)),
        note: { name: REPAIR_REASONS, content: reasonsCsv(files) },
      };
      const { actor } = caller;
      await database.auditTrail.record({ actor, action: 'import.repair_pack_read', importId: id });
      const stream = await repairPacks(pack).catch(async (error) => {
        // Retention may have removed the package since the record was read.
        if (error instanceof FileMissing || error instanceof StorageFailure)
          requireReadPackage((await database.imports.find(id)) ?? record);
        if (error instanceof TooManyPackages) throw busy(error);
        throw error;
      });
      return { stream, fileName: `repair-pack-${id}.zip` };
    },
  });
}

function busy({ code, message, retryAfterSeconds }: TooManyPackages): HttpError {
  return new HttpError(code, message, { headers: { 'Retry-After': String(retryAfterSeconds) } });
}

/** @throws HttpError, ArchiveRemoved */
function requireReadPackage({ id, status, failureReason, archiveRemovedAt }: PackageImportRow): void {
  if (status === 'extracting')
    throw nothingFor(id, 'import_under_way', `Package import ${id} is still being read. Ask again.`);
  if (status === 'failed') {
    const message = `The package of import ${id} could not be read at all. ${failureReason}`;
    throw nothingFor(id, 'package_unreadable', message);
  }
  if (archiveRemovedAt) throw new ArchiveRemoved(id, archiveRemovedAt);
}

function nothingFor(id: number, code: ErrorCode, message: string): HttpError {
  return new HttpError(code, message, { data: { id } });
}
