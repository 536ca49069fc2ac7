/** Records of mails: the status of the summary, and the imports of a digest. */

import { NOTIFICATION_STATUSES, type NotificationStatus } from '../../contract/statuses.ts';
import { type ImportOfDay, NOTIFICATION_TRANSITIONS } from '../../domain/package-import.ts';
import { Notification, type NotificationRow } from '../entities/package-import.ts';
import type { Orm } from '../orm.ts';
import { statements } from '../statements.ts';

const LOST = 'The summary was tried for two days, and no attempt has ended.';

/** Status of the summary e-mail: `pending → sending → sent | error` (interface §3.2). */
export function createNotificationRepository(orm: Orm) {
  async function move(
    importId: number,
    to: NotificationStatus,
    values: Partial<NotificationRow>,
  ): Promise<boolean> {
    const from = NOTIFICATION_STATUSES.filter((status) => NOTIFICATION_TRANSITIONS[status].includes(to));
    const where = { packageImport: importId, status: { $in: from } };
    return (await orm.em.fork().nativeUpdate(Notification, where, { ...values, status: to })) > 0;
  }

  return {
    /** The notifications of imports, by import. Those without recipients are absent. */
    async ofImports(importIds: readonly number[]): Promise<Map<number, NotificationRow>> {
      const rows = await orm.em.fork().find(Notification, { packageImport: { $in: [...importIds] } });
      return new Map(rows.map((row) => [row.packageImport, row]));
    },

    /** Whether the import has recipients whose summary has not been sent. */
    async isDue(importId: number): Promise<boolean> {
      const where = { packageImport: importId, status: { $ne: 'sent' as const } };
      return (await orm.em.fork().count(Notification, where)) > 0;
    },

    /** Begins an attempt. False if the mail was sent already, or the import has no recipients. */
    beginSending: (importId: number) => move(importId, 'sending', { lastError: null }),

    /** @param refused sentence with the refused recipients; null for none */
    recordSent: (importId: number, refused: string | null) =>
      move(importId, 'sent', { sentAt: new Date(), lastError: refused }),

    recordError: (importId: number, reason: string) => move(importId, 'error', { lastError: reason }),

    /** Ends the summaries of imports that ended before, if no attempt has recorded their end: they are tried no more. */
    async giveUpBefore(ended: Date): Promise<void> {
      await statements(orm.em.fork()).run`
        update notification n set status = 'error', last_error = ${LOST}
          from zip_import i
         where i.id = n.zip_import_id and n.status in ('pending', 'sending') and i.completed_at < ${ended}
      `;
    },
  };
}

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
      const rows = await statements(orm.em.fork()).rows<Omit<ImportOfDay, 'total'> & { total: number }>`
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
        select id as import_id, file_name, status, inserted, not_inserted, refused as refused_files,
               count(*) over ()::int as total
          from ended
         order by (status <> 'completed' or not_inserted > 0 or refused > 0) desc, id desc limit ${limit}
      `;
      return { imports: rows.map(({ total: _, ...row }) => row), total: rows[0]?.total ?? 0 };
    },
  };
}
