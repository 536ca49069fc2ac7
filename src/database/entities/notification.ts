import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { NOTIFICATION_STATUSES, type NotificationStatus } from '../../contract/statuses.ts';
import { PackageImport } from './package-import.ts';

/** The summary e-mail of an import with recipients. */
export const Notification = defineEntity({
  name: 'Notification',
  tableName: 'notification',
  properties: {
    packageImport: () =>
      p.oneToOne(PackageImport).primary().mapToPk().owner().fieldName('zip_import_id').deleteRule('cascade'),
    /** Recipients, separated by commas. */
    email: p.text(),
    status: p.enum(NOTIFICATION_STATUSES).$type<NotificationStatus>(),
    /** Error of the last try. After the mail is sent: the refused recipients. */
    lastError: p.text().nullable(),
    sentAt: p.datetime(3).nullable(),
  },
});

export type NotificationRow = InferEntity<typeof Notification>;
