/** Fake data with which every read has its largest answer, and a small pool of slow database connections. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createSemaphore } from '../../src/common/semaphore.ts';
import { DOSSIER_FILES } from '../../src/contract/limits.ts';
import { plainReason } from '../../src/contract/reasons.ts';
import { FAILURE_KINDS, IMPORT_STATUSES, PRODUCT_OUTCOMES } from '../../src/contract/statuses.ts';
import { REPORT_PAGE } from '../../src/database/reports/files.ts';
import type { DossierDetails } from '../../src/database/repositories/dossiers.ts';
import { zeroStatusCounts } from '../../src/domain/submission.ts';
import type { GatewayDependencies } from '../../src/gateway/dependencies.ts';
import { createReadAudit } from '../../src/gateway/ownership.ts';
import { writeZip } from '../archive/support/zip-writer.ts';

/** Product files of the import: every second one is refused, the others were rejected by the regulator. */
const FILES = 20_000;
/** The first products have all notes of the package. */
const WARNED = 600;
const CONNECTIONS = 3;
/** Time of a slow statement. */
const SLOW_MS = 1_000;
const XML_BYTES = 4 * 1024 * 1024;
const STORAGE_KEY = 'packages/large.zip';

export const PATHS_OF_LARGE_ANSWERS = {
  'a list of submissions': '/regulator/submissions?limit=200',
  'a list of imports': '/regulator/package-imports?limit=200',
  'a list of outcomes': '/regulator/package-imports/1/outcomes?limit=200',
  'a product': '/regulator/products/12345-26-00001?limit=200',
  'a report': '/regulator/package-imports/1',
  'a table of products': '/regulator/package-imports/1/products.csv',
  'a table of files': '/regulator/package-imports/1/files.jsonl',
  'a repair pack': '/regulator/package-imports/1/repair-pack',
  'a product file': '/regulator/submissions/1/xml',
  'a dossier': '/regulator/products/12345-26-00001/dossier',
  'statistics by the hour': '/regulator/statistics?by=hour&limit=200',
};

export function largeAnswers({
  storage,
  productFiles,
}: GatewayDependencies): Pick<GatewayDependencies, 'database' | 'readAudit' | 'productFiles'> {
  const stored = storage.put(STORAGE_KEY, Readable.from([largePackage()]));
  const gzip = gzipSync(randomBytes(XML_BYTES), { level: 0 });
  const connections = createSemaphore(CONNECTIONS);
  /** Runs a statement, which takes a connection. */
  async function query<T>(read: () => T, ms = 0): Promise<T> {
    const release = await connections.reserve(1);
    if (ms > 0) await pause(ms);
    release();
    return read();
  }
  async function* pages<T>(count: number, row: (n: number) => T): AsyncGenerator<T[]> {
    for (let first = 0; first < count; first += REPORT_PAGE)
      yield await query(() => Array.from({ length: REPORT_PAGE }, (_, n) => row(first + n)));
  }
  const submissions = () => pages(FILES / 2, reportedSubmission);
  const files = () => pages(FILES / 2, refusedFile);
  const fileCounts = { failed: FILES / 2, skipped: 0, unreadable: 0, lastId: FILES };
  const progress = { ...zeroStatusCounts(), regulator_insert_failed: FILES / 2 };
  const moment = {
    record: () => query(record),
    notification: async () => null,
    submissionCounts: () => query(() => ({ progress, queued: 0, refused: 0, offersInsert: false })),
    fileCounts: () => query(() => fileCounts),
    submissions,
    files,
  };
  const database = {
    imports: {
      find: () => query(record),
      version: () => query(() => 'v'),
      list: (_: unknown, { limit }: { limit: number }) =>
        query(() => ({ records: Array.from({ length: limit }, record), nextBefore: null })),
      countListed: () => query(() => ({ byStatus: {}, complete: true })),
    },
    submissions: {
      countByImport: () => query(() => new Map()),
      offeringInsert: async () => new Set(),
      list: (_: unknown, { limit }: { limit: number }) =>
        query(() => ({ page: Array.from({ length: limit }, (_, n) => submission(n)), next: null })),
      find: () => query(() => ({ submission: submission(1), offersInsert: false })),
      gzippedXmlBytes: () => query(() => gzip.length),
      gzippedXml: () => query(() => Buffer.from(gzip)),
    },
    notifications: { ofImports: () => query(() => new Map()) },
    importOutcomes: {
      list: (_: unknown, { limit }: { limit: number }) =>
        query(() => ({ page: Array.from({ length: limit }, (_, n) => failedOutcome(n)), nextBefore: null })),
      counts: async () => ({ by_outcome: {}, warned: 0, retryable: 0 }),
    },
    dossiers: {
      scope: () =>
        query(() => ({
          oldestImport: 1,
          newestImport: DOSSIER_FILES,
          submissions: 3_333,
          files: DOSSIER_FILES,
          before: null,
        })),
      contents: async () => [],
      details: () =>
        query(
          (): DossierDetails => ({
            clientId: 'client',
            packageName: 'large.zip',
            uploadedAt: new Date('2026-01-01'),
            packageRemovedAt: null,
            hasXml: true,
            queueStatus: null,
            queueMessage: null,
            queuedAt: null,
          }),
        ),
      references: async () => [],
      events: async function* () {},
      pieces: async function* (_: number, value: 'xml' | 'content') {
        if (value === 'content') yield await query(() => text(1, 256 * 1024));
        else yield await query(() => Buffer.from(gzip));
      },
    },
    statistics: {
      countToday: async () => {},
      lines: (_span: unknown, _filter: unknown, limit: number) =>
        query(() => Array.from({ length: limit }, statisticsLine), SLOW_MS),
      waiting: () => query(() => []),
    },
    reports: {
      onSnapshot: (_: unknown, read: (from: typeof moment) => unknown) => read(moment),
      submissions,
      files,
      warnings: (ids: readonly number[]) =>
        query(() => new Map(ids.map((id) => [id, id <= WARNED ? [plainReason(text(id, 12_000))] : []]))),
    },
  };
  return {
    database: database as unknown as GatewayDependencies['database'],
    readAudit: createReadAudit({ record: () => query(() => {}) }),
    productFiles: {
      ...productFiles,
      async repairPack(request) {
        await stored;
        return productFiles.repairPack(request);
      },
    },
  };
}

/** Text that compresses to no less than three quarters, in memory of its own. */
function text(n: number, length: number): string {
  return `${n} ${randomBytes(length * 0.75).toString('base64')}`;
}

function largePackage(): Buffer {
  const entries = Array.from({ length: FILES }, (_, n) => ({ name: pathOf(n), content: randomBytes(64) }));
  return writeZip({ entries });
}

function pathOf(n: number): string {
  return `root/export/ecigarette-product-submissions/product-${n}.xml`;
}

function record() {
  return {
    id: 1,
    uuid: 'an import',
    clientId: 'client',
    tenant: 'client',
    fileName: 'large.zip',
    // Three bytes for each character.
    comment: `${'漢'.repeat(9_000)}${text(1, 900)}`,
    storageKey: STORAGE_KEY,
    zipFilePath: '/large.zip',
    sizeBytes: 1,
    uploadedAt: new Date(),
    queuedAt: new Date(),
    completedAt: new Date(),
    status: 'completed',
    archiveRemovedAt: null,
  };
}

function common(n: number) {
  const flags = {
    initValidate: true,
    productDetails: false,
    productPresentation: false,
    design: false,
    ingredients: false,
    emission: false,
  };
  const names = { entryIndex: 2 * n + 1, entryPath: pathOf(2 * n + 1), xmlFile: `product-${2 * n + 1}.xml` };
  const regulator = {
    caseId: null,
    regulatorSubmissionDate: null,
    regulatorModifiedDate: null,
    regulatorSubmissionType: null,
  };
  const times = { createdAt: new Date(), updatedAt: new Date() };
  const product = {
    productId: `12345-26-${String(n).padStart(5, '0')}`,
    productType: 'Electronic cigarette',
  };
  const ids = { id: n + 1, uuid: `submission ${n}`, packageImport: 1, jobId: null };
  return {
    ...ids,
    ...names,
    ...product,
    ...flags,
    ...regulator,
    ...times,
    status: 'regulator_insert_failed',
  };
}

function reportedSubmission(n: number) {
  const failureReason = [plainReason(text(n, 300))];
  return { ...common(n), failureReason, offersInsert: false, queueResult: null };
}

/** As large in an answer as the largest average of a page. */
function submission(n: number) {
  const comment = text(n, 10_000);
  return {
    ...common(n),
    comment,
    warnings: [plainReason(text(n, 10_000))],
    failureReason: null,
    sectionHashes: {},
  };
}

function refusedFile(n: number) {
  const names = { entryIndex: 2 * n, entryPath: pathOf(2 * n), xmlFile: `product-${2 * n}.xml` };
  return { id: n + 1, ...names, kind: 'product', reasons: [plainReason(text(n, 800))], productId: null };
}

function failedOutcome(n: number) {
  const row = {
    ...submission(n),
    status: 'regulator_insert_failed',
    failureReason: [plainReason(text(n, 10_000))],
  };
  return {
    place: `1-${n}`,
    outcome: 'failed',
    submission: { row, offersInsert: false },
    file: null,
    queueMessage: null,
  };
}

function statisticsLine() {
  const ones = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 1]));
  return {
    beginsAt: new Date(),
    clientId: 'client',
    imports: ones(IMPORT_STATUSES),
    products: ones(PRODUCT_OUTCOMES),
    failures: ones(FAILURE_KINDS),
    insertP50Seconds: 1,
    insertP95Seconds: 2,
    receivedBytes: 1,
    countedAt: new Date(),
  };
}
