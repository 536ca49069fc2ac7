/** A product file that failed: its download, and the upload that mends it. */
import type { Readable } from 'node:stream';
import { getFailedFile } from '../../contract/schemas/import-actions.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { HttpError } from '../http-error.ts';
import { findImport } from '../ownership.ts';
import { READ_BYTES } from '../quotas/read-budgets.ts';
import { openKept, requireReadable } from '../requirements.ts';
import { defineRoute } from '../route.ts';
import type { Caller } from '../tokens/access-token.ts';

type Needs = Pick<GatewayDependencies, 'database' | 'readAudit' | 'productFiles'>;

/** Estimated memory of a download: a part of the directory, and a piece of the file on its way to the client. */
const BYTES_OF_A_FILE = 2 * READ_BYTES;

export function failedFileRoute(dependencies: Needs) {
  return defineRoute({
    ...getFailedFile,
    async handle({ caller, params: { id, xml_file }, budget }) {
      await budget.reserve(BYTES_OF_A_FILE);
      const file = await findFailedFile(dependencies, caller, { importId: id, xmlFile: xml_file });
      return { stream: await file.open(), fileName: xml_file };
    },
  });
}

interface FailedFile {
  /** The owner of its import, who owns the corrected product too: it may refer to the owner's attachments. */
  owner: Pick<Caller, 'clientId' | 'tenant' | 'submitters'>;
  /** Its content, as it was uploaded. */
  open(): Promise<Readable>;
}

/**
 * A product file that could not be read, inserted or queued.
 *
 * @throws HttpError, NotFound, ArchiveRemoved
 */
export async function findFailedFile(
  { database, readAudit, productFiles }: Needs,
  caller: Caller,
  { importId, xmlFile }: { importId: number; xmlFile: string },
): Promise<FailedFile> {
  const record = await findImport(database, caller, importId);
  requireReadable(record);
  // PostgreSQL cannot store NUL, and refuses to look it up.
  const position = xmlFile.includes('\0') ? null : await database.reports.failedFile(importId, xmlFile);
  if (position === null) {
    const message = `Package import ${importId} has no failed product file "${xmlFile}", or a newer submission of its product has been queued.`;
    throw new HttpError('nothing_to_repair', message, { data: { id: importId } });
  }
  await readAudit.note(caller, record.tenant, { action: 'import.failed_file_read', importId });
  const { clientId, tenant, submitters, storageKey } = record;
  return {
    owner: { clientId, tenant, submitters: submitters ?? null },
    open: () => openKept(database, record, () => productFiles.read(storageKey, position)),
  };
}
