/** Runs a recorded import: starts or joins its workflow, and waits for the result. */
import type { PackageImportRow } from '../../database/entities/package-import.ts';
import { ImportFailed } from '../../domain/errors.ts';
import { packageImportPath } from '../../domain/ids.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { HttpError } from '../http-error.ts';

type RecordedImport = Pick<PackageImportRow, 'id' | 'uuid' | 'clientId'>;

export function createImportRunner({ importWorkflows }: Pick<GatewayDependencies, 'importWorkflows'>) {
  /**
   * Waits until every product has its queue result. The import continues even if the client disconnects.
   *
   * @throws ImportFailed; HttpError if the result of the import is unknown
   */
  async function runImport(record: RecordedImport, requestId: string): Promise<void> {
    const { id, uuid, clientId } = record;
    try {
      await importWorkflows.process({ importId: id, importUuid: uuid, clientId }, requestId);
    } catch (error) {
      if (error instanceof ImportFailed) throw error;
      const message = `The package was stored as import ${id}, but its processing could not be followed. It goes on by itself; ask GET ${packageImportPath(id)} for its state.`;
      throw new HttpError('outcome_unknown', message, { data: { id }, cause: error });
    }
  }

  /**
   * Waits until the first of several equal requests has its result; returns at once if it has one.
   *
   * @throws as `runImport`
   */
  async function awaitFirstRun(record: PackageImportRow, requestId: string): Promise<void> {
    const { id, status, failureReason, queuedAt } = record;
    if (status === 'failed')
      throw new ImportFailed(failureReason ?? 'The package could not be read.', 'invalid_package', id);
    if (!queuedAt) await runImport(record, requestId);
  }

  return { runImport, awaitFirstRun };
}
