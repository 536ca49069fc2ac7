/**
 * Forgets people and addresses after AUDIT_RETENTION_DAYS (decision §retention). The actions and their times stay. A
 * person becomes `person:forgotten`, everywhere by the same rule: the trail, and what imports keep of it.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
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
const PAGE = 200;

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
      while ((await forgetCancellers(before)) === PAGE);
      await db.run`
        update import_retry set requested_by = ${FORGOTTEN_PERSON}
         where ended_at < ${before} and ${isPerson('requested_by')}
      `;
      const addresses = await db.run`
        delete from notification n using zip_import i where i.id = n.zip_import_id and i.completed_at < ${before}
      `;
      return { people: Number(people), addresses: Number(addresses) };
    },
  };

  /** Returns the number of imports, at most a page. */
  async function forgetCancellers(before: Date): Promise<number> {
    return orm.em.fork().transactional(async (em) => {
      const rows = await statements(em).rows<{ id: number; by: string }>`
        select id, cancelled_by as by from zip_import
         where completed_at < ${before} and ${isPerson('cancelled_by')} order by id limit ${PAGE} for update
      `;
      for (const { id, by } of rows) await forgetCanceller(em, id, by);
      return rows.length;
    });
  }
}

/** Reasons and results of the import's products name its canceller, too. */
async function forgetCanceller(em: EntityManager, importId: number, by: string): Promise<void> {
  const asJson = JSON.stringify(by).slice(1, -1);
  for (const table of ['queue_result', 'retry_result'])
    await statements(em).run`
      update ${sql.table(table)} set message = replace(message, ${by}, ${FORGOTTEN_PERSON})
       where zip_import_id = ${importId} and position(${by} in message) > 0
    `;
  await statements(em).run`
    update submission set failure_reason = replace(failure_reason::text, ${asJson}, ${FORGOTTEN_PERSON})::jsonb
     where zip_import_id = ${importId} and position(${asJson} in failure_reason::text) > 0
  `;
  await statements(em).run`
    update zip_import set cancelled_by = ${FORGOTTEN_PERSON} where id = ${importId}
  `;
}
