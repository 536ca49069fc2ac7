/**
 * Counts the days whose numbers are not there or may have changed (architecture §statistics-are-rolled-up). Every day is a
 * statement of its own, and may be counted again at any time: a try that ends in the middle has lost nothing.
 */
import { Context } from '@temporalio/activity';
import type { ImportDependencies } from './dependencies.ts';
import { heartbeating } from './heartbeating.ts';

/** Days looked for at a time. */
const PAGE = 100;

export function createCountDays({ database }: Pick<ImportDependencies, 'database'>) {
  /** Returns how many. */
  return function countDays(): Promise<number> {
    return heartbeating(async (report) => {
      let counted = 0;
      for (;;) {
        const due = await database.statistics.daysDue(PAGE);
        for (const day of due) {
          Context.current().cancellationSignal.throwIfAborted();
          await database.statistics.countDay(day);
          counted += 1;
          report({ counted, day });
        }
        if (due.length < PAGE) return counted;
      }
    });
  };
}
