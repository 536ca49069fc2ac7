import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { IMPORT_FAILURE_CODES } from '../../contract/error-codes.ts';
import { IMPORT_STATUSES, NOTIFICATION_STATUSES } from '../../contract/statuses.ts';
import type { Reason } from '../../contract/types.ts';

/** One uploaded package. */
export const PackageImport = defineEntity({
  name: 'PackageImport',
  tableName: 'zip_import',
  properties: {
    id: p.bigint('number').primary(),
    uuid: p.uuid().unique(),
    /** The client of the token that sent it. */
    clientId: p.string(),
    /** The owner (decision §imports-have-an-owner). */
    tenant: p.text(),
    /**
     * Submitters whose products the upload's token allows (decision §imports-have-an-owner); null for all.
     */
    submitters: p.json<readonly string[]>().nullable(),
    comment: p.text().nullable(),
    fileName: p.text(),
    /** Key in the archive storage, and the path in answers to the client. */
    storageKey: p.text(),
    zipFilePath: p.text(),
    sizeBytes: p.bigint('number'),
    /** Hexadecimal, of the ZIP. */
    sha256: p.string().length(64),
    /** Bytes of the attachments that no earlier package of the tenant has brought, whatever other tenants have. */
    attachmentBytes: p.bigint('number').default(0),
    uploadedAt: p.datetime(3),
    status: p.enum(IMPORT_STATUSES),
    failureReason: p.text().nullable(),
    failureCode: p.enum(IMPORT_FAILURE_CODES).nullable(),
    /** Actor and time of the cancellation request; the actor as in the audit trail. */
    cancelledBy: p.text().nullable(),
    cancelRequestedAt: p.datetime(3).nullable(),
    /** Set when every file of the package has its outcome: the package is not read again. */
    readAt: p.datetime(3).nullable(),
    /** Set when every submission has its queue result, unless the import was cancelled before. */
    queuedAt: p.datetime(3).nullable(),
    completedAt: p.datetime(3).nullable(),
    /** URL from the upload for the message about the end, beside the client's own webhook. */
    webhookUrl: p.text().nullable(),
    /** Set when retention has removed the ZIP and the raw XML. */
    archiveRemovedAt: p.datetime(3).nullable(),
  },
  indexes: [
    { properties: ['tenant', 'id'] },
    { properties: ['clientId', 'id'] },
    // Each list reads, newest first, from an index in its order.
    { properties: ['uploadedAt', 'id'] },
    { properties: ['tenant', 'uploadedAt', 'id'] },
    { properties: ['clientId', 'uploadedAt', 'id'] },
    { properties: ['status', 'uploadedAt', 'id'] },
    { properties: ['tenant', 'status', 'uploadedAt', 'id'] },
    { properties: ['clientId', 'status', 'uploadedAt', 'id'] },
    // Digests read the imports that ended on a day.
    { properties: ['clientId', 'completedAt'] },
    { name: 'zip_import_open_index', properties: ['id'], where: 'completed_at is null' },
    // Retention reads the imports that it may still remove, however many it has removed.
    {
      name: 'zip_import_removable_index',
      properties: ['id'],
      where: 'completed_at is not null and archive_removed_at is null',
    },
    {
      name: 'zip_import_kept_index',
      properties: ['tenant'],
      include: ['clientId', 'sizeBytes', 'attachmentBytes'],
      where: 'archive_removed_at is null',
    },
  ],
});

export type PackageImportRow = InferEntity<typeof PackageImport>;

/** Column with the import of a row, which is deleted with it. */
export const ofImport = () =>
  p.manyToOne(PackageImport).mapToPk().fieldName('zip_import_id').deleteRule('cascade');

/** The same as the primary key. */
export const onePerImport = () =>
  p.oneToOne(PackageImport).primary().mapToPk().owner().fieldName('zip_import_id').deleteRule('cascade');

/**
 * A file of the package without a record of its own: a failed or skipped product file, an unreadable attachment or
 * submitter file, or XML that is in no folder of the layout. Written once, never changed.
 */
export const ImportFile = defineEntity({
  name: 'ImportFile',
  tableName: 'zip_import_file',
  properties: {
    id: p.bigint('number').primary(),
    packageImport: ofImport,
    /** Position in the archive, from 0: results are shown in archive order. */
    entryIndex: p.integer(),
    entryPath: p.text(),
    /** Base name of the file, as the interface reports it. */
    xmlFile: p.text(),
    kind: p.enum(['product', 'attachment', 'submitter', 'other'] as const).default('product'),
    outcome: p.enum(['failed', 'skipped'] as const),
    reasons: p.json<Reason[]>(),
    productId: p.string().nullable(),
  },
  uniques: [{ properties: ['packageImport', 'entryPath'] }],
  indexes: [
    { properties: ['packageImport', 'outcome', 'entryIndex'] },
    {
      name: 'zip_import_file_refused_index',
      properties: ['packageImport'],
      where: `kind = 'product' and outcome = 'failed'`,
    },
  ],
});

export type ImportFileRow = InferEntity<typeof ImportFile>;

/** The summary e-mail of an import with recipients. */
export const Notification = defineEntity({
  name: 'Notification',
  properties: {
    packageImport: onePerImport,
    /** Recipients, separated by commas. */
    email: p.text(),
    status: p.enum(NOTIFICATION_STATUSES),
    /** Error of the last attempt. After the mail is sent: the refused recipients. */
    lastError: p.text().nullable(),
    sentAt: p.datetime(3).nullable(),
  },
});

export type NotificationRow = InferEntity<typeof Notification>;

/** The idempotency key of an import: a client that lost the answer repeats its request. */
export const IdempotencyKey = defineEntity({
  name: 'IdempotencyKey',
  properties: {
    tenant: p.text().primary(),
    key: p.string().primary(),
    /** SHA-256 over the request: the same key with another request is an error of the client. */
    fingerprint: p.string().length(64),
    packageImport: () => ofImport().index(),
    createdAt: p.datetime(3).index(),
  },
});
