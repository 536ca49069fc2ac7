/** Counts the days whose numbers are missing or may have changed (decision §statistics-are-rolled-up), one by one. */
import { heartbeating } from './activity-context.ts';
import { continueOnError } from './batching.ts';
import type { ImportDependencies } from './dependencies.ts';

/** Days per query. */
const DAYS_PAGE = 1000;

export function createCountDays({
  database,
}: {
  database: Pick<ImportDependencies['database'], 'statistics' | 'withLongStatements'>;
}) {
  /** Returns the number of counted days. @throws when a day could not be counted; the other days are counted */
  return function countDays(): Promise<number> {
    return heartbeating(async (report) => {
      let counted = 0;
      await continueOnError(await database.statistics.daysDue(DAYS_PAGE), async (day) => {
        await database.withLongStatements(() => database.statistics.countDay(day));
        counted += 1;
        report({ counted, day });
      });
      return counted;
    });
  };
}
