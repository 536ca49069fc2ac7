/**
 * Counts the days whose numbers are not there or may have changed (decision §statistics-are-rolled-up). Every day is a
 * statement of its own, and may be counted again at any time: a try that ends in the middle has lost nothing.
 */
import { Context } from '@temporalio/activity';
import type { ImportDependencies } from './dependencies.ts';
import { heartbeating } from './heartbeating.ts';

/** Days looked for at a time. */
const PAGE = 1000;

export function createCountDays({
  database,
}: {
  database: Pick<ImportDependencies['database'], 'statistics'>;
}) {
  /**
   * Returns how many.
   *
   * @throws when a day could not be counted; the others have been
   */
  return function countDays(): Promise<number> {
    return heartbeating(async (report) => {
      let counted = 0;
      const faults: unknown[] = [];
      for (const day of await database.statistics.daysDue(PAGE)) {
        Context.current().cancellationSignal.throwIfAborted();
        try {
          await database.statistics.countDay(day);
          counted += 1;
        } catch (error) {
          faults.push(error);
        }
        report({ counted, day });
      }
      if (faults.length > 0) throw faults[0];
      return counted;
    });
  };
}
