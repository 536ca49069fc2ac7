import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { NOTIFICATION_STATUSES, type NotificationStatus } from '../../contract/statuses.ts';
import { PackageImport } from './package-import.ts';

/** The summary e-mail of an import that has an address to go to. */
export const Notification = defineEntity({
  name: 'Notification',
  tableName: 'notification',
  properties: {
    packageImport: () =>
      p.oneToOne(PackageImport).primary().mapToPk().owner().fieldName('zip_import_id').deleteRule('cascade'),
    /** The addresses, with commas between. */
    email: p.text(),
    status: p.enum(NOTIFICATION_STATUSES).$type<NotificationStatus>(),
    /** Why the last try failed, while there is no later one; once it is sent, whom it was refused for. */
    lastError: p.text().nullable(),
    sentAt: p.datetime(3).nullable(),
  },
});

export type NotificationRow = InferEntity<typeof Notification>;
