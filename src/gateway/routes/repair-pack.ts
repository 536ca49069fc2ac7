/** Download of an import's repair pack. */

import { FileMissing, StorageFailure } from '../../archive/storage.ts';
import type { ErrorCode } from '../../contract/error-codes.ts';
import { getRepairPack, REPAIR_REASONS } from '../../contract/schemas/import-actions.ts';
import type { PackageImportRow } from '../../database/entities/package-import.ts';
import { ArchiveRemoved, NotFound } from '../../domain/client-errors.ts';
import { statusesBefore } from '../../domain/submission.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { HttpError } from '../http-error.ts';
import { ownedBy } from '../ownership.ts';
import { filesToRepair, reasonsCsv } from '../presenters/repair-reasons.ts';
import type { Snapshots } from '../reports/snapshots.ts';
import { defineRoute } from '../route.ts';
import { readIn } from '../state.ts';

/** Estimated memory of a pack, and of the record of one file in it. */
const BYTES_OF_A_PACK = 1024 * 1024;
const BYTES_OF_A_FILE = 256;

export function repairPackRoute({ database, repairPacks }: GatewayDependencies, snapshotOf: Snapshots) {
  return defineRoute({
    ...getRepairPack,
    async handle({ caller, params: { id }, state }) {
      const record = ownedBy(caller, await database.imports.find(id), 'Package import', id);
      requireReadPackage(record);
      const source = await snapshotOf(readIn(state), id, {
        part: { statuses: statusesBefore('regulator_inserting') },
        besides: (files, submissions) => BYTES_OF_A_PACK + BYTES_OF_A_FILE * (files.failed + submissions),
      });
      if (!source) throw new NotFound('Package import', id);
      const entries: number[] = [];
      let root = '';
      for await (const { entryIndex, path } of filesToRepair(source)) {
        entries.push(entryIndex);
        root = path.slice(0, path.indexOf('/'));
      }
      if (entries.length === 0)
        throw nothingFor(id, 'nothing_to_repair', `No product of package import ${id} has failed.`);
      const note = { path: `${root}/${REPAIR_REASONS}`, text: reasonsCsv(filesToRepair(source)) };
      const pack = { storageKey: record.storageKey, entries, note };
      const { actor } = caller;
      await database.auditTrail.record({ actor, action: 'import.repair_pack_read', importId: id });
      const stream = await repairPacks(pack).catch(async (error) => {
        // Retention may have removed the package since the record was read.
        if (error instanceof FileMissing || error instanceof StorageFailure)
          requireReadPackage((await database.imports.find(id)) ?? record);
        throw error;
      });
      return { stream, fileName: `repair-pack-${id}.zip` };
    },
  });
}

/** @throws HttpError, ArchiveRemoved */
function requireReadPackage({ id, status, failureReason, archiveRemovedAt }: PackageImportRow): void {
  if (status === 'extracting')
    throw nothingFor(id, 'import_under_way', `Package import ${id} is still being read. Try again later.`);
  if (status === 'failed') {
    const message = `The package of import ${id} could not be read. ${failureReason}`;
    throw nothingFor(id, 'package_unreadable', message);
  }
  if (archiveRemovedAt) throw new ArchiveRemoved(id, archiveRemovedAt);
}

function nothingFor(id: number, code: ErrorCode, message: string): HttpError {
  return new HttpError(code, message, { data: { id } });
}
