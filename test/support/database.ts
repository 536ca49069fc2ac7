/** A database per test file, which closes at the end, with functions that fill it. */
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type Database, type DatabaseOptions, openDatabase } from '../../src/database/index.ts';
import { type ConnectOptions, connect, type Orm } from '../../src/database/orm.ts';
import type { CreatedFile } from '../../src/database/repositories/extraction.ts';
import type { Failure } from '../../src/database/repositories/imports.ts';
import { perStep } from '../../src/domain/steps.ts';
import { atEnd, closing } from './cleanup.ts';
import { createTestDatabase } from './servers.ts';

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

export function newImport(
  { imports }: Database,
  values: { clientId?: string; email?: string | null } = {},
): Promise<number> {
  const uuid = randomUUID();
  return imports.create({
    uuid,
    clientId: values.clientId ?? 'client',
    tenant: values.clientId ?? 'client',
    comment: null,
    fileName: 'package.zip',
    storageKey: `packages/${uuid}.zip`,
    zipFilePath: `/archive/${uuid}.zip`,
    sizeBytes: 1,
    uploadedAt: new Date(),
    notificationEmail: values.email ?? null,
  });
}

/** The failure of an import whose package cannot be read. */
export function invalidPackage(reason: string): Failure {
  return { reason, code: 'invalid_package' };
}

/** A created file in the form that extraction records. */
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

/** Adds a submission with its own import. */
export async function newSubmission(
  database: Database,
  productId: string,
  content = 'x',
): Promise<{ importId: number; id: number }> {
  const importId = await newImport(database);
  await database.extraction.record(importId, null, [createdFile(productId, 0, content)]);
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
