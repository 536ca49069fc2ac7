import { heartbeating } from './activity-context.ts';
import { continueOnError, rowsById } from './batching.ts';
import type { ImportDependencies } from './dependencies.ts';

export function createForgetPackage({ database, storage }: Pick<ImportDependencies, 'database' | 'storage'>) {
  /**
   * Removes the attachments of a failed import, except those that products of other packages refer to (decision
   * §references-own). Each record goes together with its content, so the next attempt continues with the remaining ones.
   *
   * @throws the first error, after the other attachments were removed
   */
  return async function forgetPackage({ importId }: { importId: number }): Promise<void> {
    const { unreferredOfFailed, removeOfFailed } = database.referredFiles;
    const attachments = rowsById(
      (after, limit) => unreferredOfFailed(importId, after, limit),
      ({ id }) => id,
    );
    await heartbeating(() =>
      continueOnError(attachments, ({ storageKey }) =>
        removeOfFailed(importId, storageKey, () => storage.remove(storageKey)),
      ),
    );
  };
}
