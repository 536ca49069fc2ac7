/** What has to be mended of an import, as a package to be mended and sent again. */
import { FileMissing, StorageFailure } from '../../archive/storage.ts';
import type { PackageImportRow } from '../../database/entities/package-import.ts';
import { ArchiveRemoved, type ErrorCode, TooManyPackages } from '../../domain/errors.ts';
import { PERMISSIONS } from '../../domain/permissions.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { HttpError } from '../http-error.ts';
import { ownedBy, visibleSubmitters } from '../ownership.ts';
import { filesToRepair, reasonsCsv } from '../presenters/repair-reasons.ts';
import { defineRoute } from '../route.ts';
import { idParams } from '../schemas/common.ts';

const REASONS = 'reasons.csv';

export function repairPackRoute({ database, repairPacks }: GatewayDependencies) {
  return defineRoute({
    method: 'get',
    path: '/regulator/package-imports/{id}/repair-pack',
    operationId: 'getRepairPack',
    tag: 'Package imports',
    summary: 'The product files that failed, as a package to be mended and sent again',
    description:
      `Holds only the product files that could not be read or inserted, where the import expects them, and ${REASONS} ` +
      'beside them. Attachments and submitters need not be sent again: those of earlier packages are known.',
    permission: PERMISSIONS.readImports,
    params: idParams,
    answers: { 200: { contentType: 'application/zip', description: 'The package' } },
    errors: {
      404: 'No such import, or not yours; or nothing of it failed',
      409: 'The package is still being read, or could not be read at all',
      410: 'The package has been removed by retention',
    },
    async handle({ caller, params: { id } }) {
      const record = ownedBy(caller, await database.imports.find(id), 'Package import', id);
      requireReadPackage(record);
      const view = { importId: id, submitters: visibleSubmitters(caller) };
      const files = await database.reports.atOneMoment(view, filesToRepair);
      if (files.length === 0)
        throw nothingFor(id, 'nothing_to_repair', `Nothing of package import ${id} has failed.`);
      const pack = {
        storageKey: record.storageKey,
        paths: new Set(files.map(({ path }) => path)),
        note: { name: REASONS, content: reasonsCsv(files) },
      };
      const { actor } = caller;
      await database.auditTrail.record({ actor, action: 'import.repair_pack_read', importId: id });
      const stream = await repairPacks(pack).catch(async (error) => {
        // Retention may have removed it since the record was read, as the last of all.
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
