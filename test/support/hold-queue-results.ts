/** Stops batches of a large import in the middle of their queuing. */
import type { Stack } from './starters/stack.ts';

/**
 * Blocks the recording of queue results. The trigger stays afterwards: to drop it would wait for every transaction that
 * uses the table, and make all others wait.
 *
 * @returns a function that releases it
 */
export async function holdQueueResults({ sql }: Stack): Promise<() => Promise<void>> {
  await sql('create table if not exists held_results ()');
  await sql('insert into held_results default values');
  await sql(
    `create or replace function hold_results() returns trigger language plpgsql as $$ begin
       if exists (select from held_results) then raise 'held by the test'; end if;
       return new;
     end $$`,
  );
  await sql(
    'create or replace trigger hold_results before insert on queue_result for each row execute function hold_results()',
  );
  return async () => {
    await sql('delete from held_results');
  };
}
