/** Stops batches of a large import in the middle of their queuing. */
import type { Stack } from './starters/stack.ts';

/** Blocks the recording of queue results. @returns a function that releases it */
export async function holdQueueResults({ sql }: Stack): Promise<() => Promise<void>> {
  await sql(
    `create or replace function hold_results() returns trigger language plpgsql as $$ begin raise 'held by the test'; end $$`,
  );
  await sql(
    'create trigger hold_results before insert on queue_result for each row execute function hold_results()',
  );
  return async () => {
    await sql('drop trigger hold_results on queue_result');
  };
}
