import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { FailureCode } from '../../contract/failures.ts';
import { SUBMISSION_STATUSES } from '../../contract/statuses.ts';
import { INSERT_STEPS, type InsertStep } from '../../contract/steps.ts';
import type { Reason } from '../../contract/types.ts';
import type { Json, ProductSections } from '../../domain/product.ts';
import { ofImport } from './package-import.ts';

/**
 * A submitter file of a package. Products carry only the submitter's ID. The file of their package, else that of the
 * tenant's latest import with one, holds the details.
 */
export const Submitter = defineEntity({
  name: 'Submitter',
  properties: {
    id: p.bigint('number').primary(),
    tenant: p.text(),
    submitterId: p.string().length(5),
    packageImport: ofImport,
    entryPath: p.text(),
    details: p.json<Json>(),
  },
  uniques: [{ properties: ['packageImport', 'entryPath'] }],
  indexes: [{ properties: ['tenant', 'submitterId', 'packageImport', 'id'] }],
});

/** One product to be imported into the regulator's system. */
export const Submission = defineEntity({
  name: 'Submission',
  properties: {
    id: p.bigint('number').primary(),
    /** Client reference and idempotency key of every call to the regulator (decision §six-steps). */
    uuid: p.uuid().unique(),
    packageImport: ofImport,
    /** The owner of its import. A database trigger sets it, so that lists by tenant read an index in their order. */
    tenant: p.text().lazy(),
    entryIndex: p.integer(),
    entryPath: p.text(),
    xmlFile: p.text(),
    productId: p.string().length(14),
    productTypeCode: p.smallint(),
    productType: p.text(),
    submissionTypeCode: p.smallint().nullable(),
    comment: p.text().nullable(),
    status: p.enum(SUBMISSION_STATUSES),
    /** The reasons of the last failure. */
    failureReason: p.json<Reason[]>().nullable(),
    failureCode: p.text().$type<FailureCode>().nullable(),
    initValidate: p.boolean().default(false),
    productDetails: p.boolean().default(false),
    productPresentation: p.boolean().default(false),
    design: p.boolean().default(false),
    ingredients: p.boolean().default(false),
    emission: p.boolean().default(false),
    /** The last begun step; null before the first. */
    currentStep: p.enum(INSERT_STEPS).nullable(),
    /** The last `regulator-insert` run of the submission. */
    jobId: p.uuid().nullable().index(),
    caseId: p.string().nullable(),
    /** Dates in the regulator's format. */
    regulatorSubmissionDate: p.string().nullable(),
    regulatorModifiedDate: p.string().nullable(),
    regulatorSubmissionType: p.text().nullable(),
    warnings: p.json<Reason[]>(),
    /** SHA-256 over the sections and the attachments they refer to: identical content, identical hash. */
    contentHash: p.string().length(64),
    sectionHashes: p.json<Record<InsertStep, string>>(),
    sections: p.json<ProductSections>().lazy(),
    /** The original file as gzip (RFC 1952); removed by retention. */
    rawXml: p.blob().lazy().nullable(),
    /** The submitter file that its submitter ID names, if we have one. */
    submitter: () =>
      p
        .manyToOne(Submitter)
        .mapToPk()
        .fieldName('submitter_row_id')
        .nullable()
        .deleteRule('no action')
        .index(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [{ properties: ['packageImport', 'entryPath'] }, { properties: ['productId', 'packageImport'] }],
  indexes: [
    { properties: ['packageImport', 'entryIndex'] },
    { properties: ['tenant', 'id'] },
    { properties: ['status', 'tenant', 'id'] },
    { properties: ['caseId'], where: 'case_id is not null' },
    {
      name: 'submission_not_inserted_index',
      properties: ['packageImport'],
      where: `status in ('local', 'regulator_insert_failed')`,
    },
  ],
  triggers: [
    {
      name: 'submission_tenant',
      timing: 'before',
      events: ['insert'],
      forEach: 'row',
      body: 'new.tenant := (select tenant from zip_import where id = new.zip_import_id); return new;',
    },
  ],
});

export type SubmissionRow = InferEntity<typeof Submission>;

/** The version of an attachment that a package brought. Products refer to it like to a submitter file. */
export const Attachment = defineEntity({
  name: 'Attachment',
  properties: {
    id: p.bigint('number').primary(),
    tenant: p.text(),
    attachmentId: p.uuid(),
    packageImport: ofImport,
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
  indexes: [
    { properties: ['tenant', 'attachmentId', 'packageImport', 'id'] },
    { properties: ['storageKey'] },
  ],
});

export type AttachmentRow = InferEntity<typeof Attachment>;

/** A submission's reference to an attachment. `attachment` is null if we do not have the file. */
export const SubmissionAttachment = defineEntity({
  name: 'SubmissionAttachment',
  properties: {
    id: p.bigint('number').primary(),
    submission: () => p.manyToOne(Submission).mapToPk().deleteRule('cascade'),
    attachmentId: p.uuid(),
    step: p.enum(INSERT_STEPS),
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

export type SubmissionAttachmentRow = InferEntity<typeof SubmissionAttachment>;
