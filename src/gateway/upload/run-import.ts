/** From the record of an import to its result: its workflow is started, or joined, and waited for. */
import type { PackageImportRow } from '../../database/entities/package-import.ts';
import { ImportFailed } from '../../domain/errors.ts';
import { packageImportPath } from '../../domain/ids.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { HttpError } from '../http-error.ts';

type RecordedImport = Pick<PackageImportRow, 'id' | 'uuid' | 'clientId'>;

export function createImportRunner({ importWorkflows }: Pick<GatewayDependencies, 'importWorkflows'>) {
  /**
   * Until every product has its queue result. From here on the import goes on with or without this client.
   *
   * @throws ImportFailed; HttpError when it is not known what became of the import
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
   * Until the first of several equal requests has its answer; at once if it has.
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
