import { defineEntity, p } from '@mikro-orm/core';
import { INSERT_STEPS, type InsertStep } from '../../contract/steps.ts';
import { PackageImport } from './package-import.ts';
import { Submission } from './submission.ts';

/** One version of an attachment that a tenant sent. The newest version per tenant and attachment ID counts. */
export const Attachment = defineEntity({
  name: 'Attachment',
  tableName: 'attachment',
  properties: {
    id: p.bigint('number').primary(),
    tenant: p.text(),
    attachmentId: p.uuid(),
    packageImport: () =>
      p.manyToOne(PackageImport).mapToPk().fieldName('zip_import_id').deleteRule('cascade'),
    entryPath: p.text(),
    /** File name in the package, for display only: no file is stored under it. */
    fileName: p.text(),
    contentType: p.text(),
    confidential: p.boolean(),
    sizeBytes: p.bigint('number'),
    sha256: p.string().length(64),
    storageKey: p.text(),
    createdAt: p.datetime(3),
  },
  uniques: [{ properties: ['packageImport', 'entryPath'] }],
  indexes: [{ properties: ['tenant', 'attachmentId', 'id'] }, { properties: ['storageKey'] }],
});

/** A submission's reference to an attachment. `attachment` is null if we do not have the file. */
export const SubmissionAttachment = defineEntity({
  name: 'SubmissionAttachment',
  tableName: 'submission_attachment',
  properties: {
    id: p.bigint('number').primary(),
    submission: () => p.manyToOne(Submission).mapToPk().fieldName('submission_id').deleteRule('cascade'),
    attachmentId: p.uuid(),
    step: p.enum(INSERT_STEPS).$type<InsertStep>(),
    /** A referenced attachment is not deleted (decision §references-own). */
    attachment: () =>
      p
        .manyToOne(Attachment)
        .mapToPk()
        .fieldName('attachment_row_id')
        .nullable()
        .deleteRule('no action')
        .index(),
    /** When the regulator accepted it with the case of the submission. */
    sentAt: p.datetime(3).nullable(),
  },
  uniques: [{ properties: ['submission', 'step', 'attachmentId'] }],
});
