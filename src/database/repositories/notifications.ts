/** Status of the summary e-mail: `pending → sending → sent | error` (interface §3.2). */
import { NOTIFICATION_STATUSES, type NotificationStatus } from '../../contract/statuses.ts';
import { NOTIFICATION_TRANSITIONS } from '../../domain/notification.ts';
import { Notification, type NotificationRow } from '../entities/notification.ts';
import type { Orm } from '../orm.ts';

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
    /** Whether the import has recipients whose summary has not been sent. */
    async isDue(importId: number): Promise<boolean> {
      const where = { packageImport: importId, status: { $ne: 'sent' as const } };
      return (await orm.em.fork().count(Notification, where)) > 0;
    },

    /** Begins a try. False if the mail was sent already, or the import has no recipients. */
    async beginSending(importId: number): Promise<boolean> {
      return move(importId, 'sending', { lastError: null });
    },

    /** @param refused sentence with the refused recipients; null for none */
    async recordSent(importId: number, refused: string | null): Promise<void> {
      await move(importId, 'sent', { sentAt: new Date(), lastError: refused });
    },

    async recordError(importId: number, reason: string): Promise<void> {
      await move(importId, 'error', { lastError: reason });
    },
  };
}
