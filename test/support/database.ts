/** A database per test file, which closes at the end, with functions that fill it. */
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type Database, type DatabaseOptions, openDatabase } from '../../src/database/index.ts';
import { type ConnectOptions, connect, type Orm } from '../../src/database/orm.ts';
import type { Failure, NewImport } from '../../src/database/repositories/imports.ts';
import type { CreatedFile, RefusedFile } from '../../src/database/repositories/reading.ts';
import type { NewAttachment } from '../../src/database/repositories/referred-files.ts';
import { perStep } from '../../src/domain/steps.ts';
import { atEnd, closing } from './cleanup.ts';
import { eventually } from './eventually.ts';
import { createTestDatabase, runSql } from './servers.ts';

export async function openTestDatabase(): Promise<{ database: Database; url: string }> {
  const { url } = await createTestDatabase();
  return { database: await openAgain(url), url };
}

/** Another process, as far as the database can tell. It closes at the end. */
export function openAgain(url: string, options: Partial<DatabaseOptions> = {}): Promise<Database> {
  const encryptionSecrets = ['a secret of the tests only'];
  return closing(openDatabase({ url, poolSize: 6, encryptionSecrets, ...options }));
}

/** MikroORM without repositories. It closes at the end. */
export async function openOrm(url: string, options: ConnectOptions = {}): Promise<Orm> {
  const orm = await connect(url, options);
  atEnd(() => orm.close(true));
  return orm;
}

export async function newImport({ imports }: Database, values: Partial<NewImport> = {}): Promise<number> {
  return (await imports.create(importValues(values))).id;
}

/** The values of a new import. By default its client is one tenant. */
export function importValues(values: Partial<NewImport> = {}): NewImport {
  const { uuid = randomUUID(), clientId = 'client' } = values;
  return {
    uuid,
    clientId,
    tenant: clientId,
    comment: null,
    fileName: 'package.zip',
    storageKey: `packages/${uuid}.zip`,
    zipFilePath: `/archive/${uuid}.zip`,
    sizeBytes: 1,
    sha256: 'a'.repeat(64),
    uploadedAt: new Date(),
    notificationEmail: null,
    ...values,
  };
}

/** The outcome of a product file that becomes no submission. */
export function refusedFile(
  outcome: 'failed' | 'skipped',
  entryIndex: number,
  productId: string | null = null,
): RefusedFile {
  const xmlFile = `${entryIndex}.xml`;
  return { outcome, entryIndex, entryPath: xmlFile, xmlFile, reasons: [], productId };
}

/** The failure of an import whose package cannot be read. */
export function invalidPackage(reason: string): Failure {
  return { reason, code: 'invalid_package' };
}

/** A created file in the form that reading records. */
export function createdFile(productId: string, entryIndex = 0, content = 'x'): CreatedFile {
  const sections = perStep((step) => ({ content: `${content} of ${step}` }));
  const hash = Buffer.from(content.padEnd(32).slice(0, 32)).toString('hex');
  return {
    outcome: 'created',
    entryIndex,
    entryPath: `root/export/ecigarette-product-submissions/${entryIndex}.xml`,
    xmlFile: `${entryIndex}.xml`,
    contentHash: hash,
    sectionHashes: perStep(() => hash),
    rawXml: gzipSync('<x/>'),
    submitterRowId: null,
    attachments: [],
    product: {
      productId,
      submitterId: productId.slice(0, 5),
      productTypeCode: 1,
      productType: 'Electronic cigarette - Disposable',
      submissionTypeCode: 1,
      sections,
      attachments: [],
      warnings: [],
    },
  };
}

/** An attachment in the form that reading records. */
export function newAttachment(values: Partial<NewAttachment> = {}): NewAttachment {
  return {
    tenant: 'client',
    attachmentId: randomUUID(),
    entryPath: 'root/export/attachments/a.xml',
    fileName: 'a.pdf',
    contentType: 'application/pdf',
    confidential: false,
    sizeBytes: 1,
    sha256: 'a'.repeat(64),
    storageKey: 'attachments/a',
    ...values,
  };
}

/** Returns when so many transactions in the database wait for a lock of another. */
export async function someWaitForALock(url: string, transactions = 1): Promise<void> {
  await eventually(async () => {
    const waiting = await runSql(
      url,
      `select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    return waiting.length === transactions;
  });
}

/** Adds a submission with its own import. */
export async function newSubmission(
  database: Database,
  productId: string,
  content = 'x',
): Promise<{ importId: number; id: number }> {
  const importId = await newImport(database);
  await database.reading.record(importId, null, [createdFile(productId, 0, content)]);
  const { submissions } = await reportOf(database, importId);
  return { importId, id: submissions[0]?.id ?? 0 };
}

/** Reads the whole report of a small import except its warnings. */
export function reportOf({ reports }: Database, importId: number) {
  return reports.onSnapshot(importId, async (moment) => ({
    submissions: (await Array.fromAsync(moment.submissions())).flat(),
    failedFiles: (await Array.fromAsync(moment.files('failed'))).flat(),
  }));
}
