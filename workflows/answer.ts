/** The answer of the update: the main run gives it once, to every caller that waits. */
import { type ApplicationFailure, CancellationScope, condition } from '@temporalio/workflow';
import type { ImportCounts } from '../src/domain/package-import.ts';

export class Answer {
  #counts: ImportCounts | undefined;
  #failure: ApplicationFailure | undefined;

  give(counts: ImportCounts): void {
    this.#counts ??= counts;
  }

  fail(failure: ApplicationFailure): void {
    this.#failure ??= failure;
  }

  /**
   * @throws ApplicationFailure only: any other error would retry the workflow task while the caller hangs
   *   (decision §update-with-start)
   */
  given(): Promise<ImportCounts> {
    return CancellationScope.nonCancellable(async () => {
      await condition(() => this.#counts !== undefined || this.#failure !== undefined);
      if (this.#counts !== undefined) return this.#counts;
      throw this.#failure;
    });
  }
}
