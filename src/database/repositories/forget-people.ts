/**
 * Forgets people and addresses after AUDIT_RETENTION_DAYS (decision §retention). The actions and their times stay. A
 * person becomes `person:forgotten`, everywhere by the same rule: the trail, and what imports keep of it.
 */
import { sql } from 'kysely';
import { FORGOTTEN_PERSON } from '../../domain/actors.ts';
import type { Orm } from '../orm.ts';
import { statements } from '../statements.ts';

interface Forgotten {
  /** Audit events whose person was forgotten. */
  people: number;
  /** Notifications that were removed with their addresses. */
  addresses: number;
}

/** Imports per transaction. */
const PEOPLE_PAGE = 200;

/** @param column name of a column with an actor. As literals, so that the partial index is used. */
const isPerson = (column: string) =>
  sql`${sql.ref(column)} like 'person:%' and ${sql.ref(column)} <> ${sql.lit(FORGOTTEN_PERSON)}`;

export function createForgetPeople(orm: Orm) {
  const db = statements(orm.em.fork());

  return {
    /** Idempotent. The trail keeps its people for 30 days. @param before end of the actions and of the imports */
    async forgetBefore(before: Date): Promise<Forgotten> {
      const people = await db.run`
        update audit_event set actor = ${FORGOTTEN_PERSON}
         where at < least(${before}, now() - interval '30 days') and ${isPerson('actor')}
      `;
      while ((await forgetCancellers(before)) === PEOPLE_PAGE);
      await db.run`
        update import_retry set requested_by = ${FORGOTTEN_PERSON}
         where ended_at < ${before} and ${isPerson('requested_by')}
      `;
      const addresses = await db.run`
        delete from notification n using zip_import i where i.id = n.zip_import_id and i.completed_at < ${before}
      `;
      return { people, addresses };
    },
  };

  /** Returns the number of imports, at most a page. Results and reasons of their products name the canceller, too. */
  async function forgetCancellers(before: Date): Promise<number> {
    return orm.em.fork().transactional(async (em) => {
      const { rows, run } = statements(em);
      const found = await rows<{ id: number }>`
        select id from zip_import
         where completed_at < ${before} and ${isPerson('cancelled_by')} order by id limit ${PEOPLE_PAGE} for update
      `;
      const isFound = sql`i.id = any(${found.map(({ id }) => id)}::bigint[])`;
      for (const table of ['queue_result', 'retry_result'])
        await run`
          update ${sql.table(table)} r set message = replace(r.message, i.cancelled_by, ${FORGOTTEN_PERSON})
            from zip_import i
           where ${isFound} and r.zip_import_id = i.id and position(i.cancelled_by in r.message) > 0
        `;
      const inJson = sql`substr(to_jsonb(i.cancelled_by)::text, 2, length(to_jsonb(i.cancelled_by)::text) - 2)`;
      await run`
        update submission s
           set failure_reason = replace(s.failure_reason::text, ${inJson}, ${FORGOTTEN_PERSON})::jsonb
          from zip_import i
         where ${isFound} and s.zip_import_id = i.id and position(${inJson} in s.failure_reason::text) > 0
      `;
      await run`update zip_import i set cancelled_by = ${FORGOTTEN_PERSON} where ${isFound}`;
      return found.length;
    });
  }
}
