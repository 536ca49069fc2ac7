/**
 * Forgets people and addresses after AUDIT_RETENTION_DAYS (decision §retention). The actions and their times stay. A
 * person becomes `person:forgotten`, everywhere by the same rule: the trail, and what imports keep of it.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { FORGOTTEN_PERSON } from '../../domain/actors.ts';
import type { Orm } from '../orm.ts';

interface Forgotten {
  /** Audit events whose person was forgotten. */
  people: number;
  /** Notifications that were removed with their addresses. */
  addresses: number;
}

/** Imports per transaction. */
const PAGE = 200;

/** @param column name of a column with an actor. As literals, so that the partial index is used. */
const isPerson = (column: string) =>
  sql`${sql.ref(column)} like 'person:%' and ${sql.ref(column)} <> ${sql.lit(FORGOTTEN_PERSON)}`;

export function createForgetPeople(orm: Orm) {
  const database = () => orm.em.fork().getKysely();

  return {
    /** Idempotent. The trail keeps its people for 30 days. @param before end of the actions and of the imports */
    async forgetBefore(before: Date): Promise<Forgotten> {
      const { numAffectedRows: people = 0n } = await sql`
        update audit_event set actor = ${FORGOTTEN_PERSON}
         where at < least(${before}, now() - interval '30 days') and ${isPerson('actor')}
      `.execute(database());
      while ((await forgetCancellers(before)) === PAGE);
      await sql`
        update import_retry set requested_by = ${FORGOTTEN_PERSON}
         where ended_at < ${before} and ${isPerson('requested_by')}
      `.execute(database());
      const { numAffectedRows: addresses = 0n } = await sql`
        delete from notification n using zip_import i where i.id = n.zip_import_id and i.completed_at < ${before}
      `.execute(database());
      return { people: Number(people), addresses: Number(addresses) };
    },
  };

  /** Returns the number of imports, at most a page. */
  async function forgetCancellers(before: Date): Promise<number> {
    return orm.em.fork().transactional(async (em) => {
      const { rows } = await sql<{ id: number; by: string }>`
        select id, cancelled_by as by from zip_import
         where completed_at < ${before} and ${isPerson('cancelled_by')} order by id limit ${PAGE} for update
      `.execute(em.getKysely());
      for (const { id, by } of rows) await forgetCanceller(em, id, by);
      return rows.length;
    });
  }
}

/** Reasons and results of the import's products name its canceller, too. */
async function forgetCanceller(em: EntityManager, importId: number, by: string): Promise<void> {
  const asJson = JSON.stringify(by).slice(1, -1);
  for (const table of ['queue_result', 'retry_result'])
    await sql`
      update ${sql.table(table)} set message = replace(message, ${by}, ${FORGOTTEN_PERSON})
       where zip_import_id = ${importId} and position(${by} in message) > 0
    `.execute(em.getKysely());
  await sql`
    update submission set failure_reason = replace(failure_reason::text, ${asJson}, ${FORGOTTEN_PERSON})::jsonb
     where zip_import_id = ${importId} and position(${asJson} in failure_reason::text) > 0
  `.execute(em.getKysely());
  await sql`
    update zip_import set cancelled_by = ${FORGOTTEN_PERSON} where id = ${importId}
  `.execute(em.getKysely());
}
