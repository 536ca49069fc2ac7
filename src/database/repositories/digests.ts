/** Reads the imports of a client for its daily digest. */
import { sql } from 'kysely';
import type { ImportOfDay } from '../../domain/import-of-day.ts';
import type { Orm } from '../orm.ts';

export function createDigestRepository(orm: Orm) {
  return {
    /**
     * Imports of the client that ended on a day: first those that need an action, then the newest.
     *
     * @param day UTC, as 2026-01-31
     */
    async ofDay(
      clientId: string,
      day: string,
      limit: number,
    ): Promise<{ imports: ImportOfDay[]; total: number }> {
      const begin = `${day}T00:00:00Z`;
      const { rows } = await sql<Omit<ImportOfDay, 'total'> & { total: number }>`
        with ended as (
          select i.id, i.file_name, i.status,
                 (select count(*)::int from submission s
                   where s.zip_import_id = i.id and s.status = 'regulator_inserted') as inserted,
                 (select count(*)::int from submission s
                   where s.zip_import_id = i.id and s.status <> 'regulator_inserted') as not_inserted,
                 (select count(*)::int from zip_import_file f
                   where f.zip_import_id = i.id and f.kind = 'product' and f.outcome = 'failed') as refused
            from zip_import i
           where i.client_id = ${clientId}
             and i.completed_at >= ${begin}::timestamptz
             and i.completed_at < ${begin}::timestamptz + interval '1 day'
        )
        select id as "importId", file_name as "fileName", status, inserted, not_inserted as "notInserted",
               refused as "refusedFiles", count(*) over ()::int as total
          from ended
         order by (status <> 'completed' or not_inserted > 0 or refused > 0) desc, id desc limit ${limit}
      `.execute(orm.em.fork().getKysely());
      return { imports: rows.map(({ total: _, ...row }) => row), total: rows[0]?.total ?? 0 };
    },
  };
}
