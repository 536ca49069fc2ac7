/** Fakes of the database, Temporal and the regulator session, for a gateway alone. */
import { pino } from 'pino';
import { createDossiers } from '../../src/archive/dossier.ts';
import { createProductFiles } from '../../src/archive/product-files.ts';
import type { ArchiveStorage } from '../../src/archive/storage.ts';
import type { PackageImportRow } from '../../src/database/entities/package-import.ts';
import type { NewImport } from '../../src/database/repositories/imports.ts';
import type { ImportMoment, ReportRepository } from '../../src/database/repositories/reports.ts';
import { importCounts } from '../../src/domain/package-import.ts';
import type { SessionState } from '../../src/domain/regulator.ts';
import { zeroStatusCounts } from '../../src/domain/submission.ts';
import type { GatewayDependencies } from '../../src/gateway/dependencies.ts';
import { createReadAudit } from '../../src/gateway/ownership.ts';
import { createReadBudgets } from '../../src/gateway/quotas/read-budgets.ts';
import { createTokenKeys } from '../../src/gateway/tokens/token-keys.ts';
import { rateOf, slotsOf } from './counted-quotas.ts';
import { AUDIENCE, type TokenIssuer } from './token-issuer.ts';

/** What the gateway has done with its fakes, and what they answer. */
export interface Fakes {
  /** Rows that uploads have created. */
  imports: NewImport[];
  /** The fake processing of a package, which the answer waits for. */
  processing: { run: () => Promise<void> };
  session: { state: SessionState };
  /** Parsed lines of the log. */
  log: Record<string, unknown>[];
}

const ACTIVE: SessionState = { status: 'active', expiresAt: new Date(Date.now() + 3_600_000) };

export function createFakes(): Fakes {
  return { imports: [], processing: { run: async () => {} }, session: { state: ACTIVE }, log: [] };
}

/** Dependencies of a gateway without quotas, over fakes. */
export function fakeDependencies(
  { imports, processing, session, log }: Fakes,
  storage: ArchiveStorage,
  tokens: TokenIssuer,
): GatewayDependencies {
  return {
    // Only the calls of an upload; any other call fails the test with a TypeError.
    database: {
      imports: {
        create: async (row: NewImport) => ({ ...row, id: imports.push(row), status: 'extracting' }),
        find: async (id: number) => ({ id, ...imports[id - 1], status: 'extracting' }),
        list: async () => ({ records: [], nextBefore: null }),
        countListed: async () => ({ byStatus: {}, complete: true }),
      },
      reports: fakeReports(async (id) => ({ id, ...imports[id - 1], queuedAt: new Date() })),
      submissions: { countByImport: async () => new Map() },
      notifications: { ofImports: async () => new Map() },
      auditTrail: { record: async () => {} },
    } as unknown as GatewayDependencies['database'],
    readAudit: createReadAudit({ record: async () => {} }),
    readBudgets: createReadBudgets({ atOnce: 5 }),
    sessions: {
      state: async () => session.state,
      verify: async () => session.state,
    } as unknown as GatewayDependencies['sessions'],
    importWorkflows: { process: () => processing.run() } as unknown as GatewayDependencies['importWorkflows'],
    failuresRuns: { last: async () => null } as unknown as GatewayDependencies['failuresRuns'],
    startInsert: () => Promise.reject(new Error('no Temporal')),
    packageChecks: { run: () => processing.run() },
    webhookRules: { hosts: [], loopback: true },
    webhookWorkflows: { deliver: async () => {} },
    storage,
    productFiles: createProductFiles(storage),
    dossiers: createDossiers(null),
    tokens: {
      issuer: tokens.issuer,
      audience: AUDIENCE,
      keys: createTokenKeys({ jwksUrl: tokens.keySetUrl }),
    },
    logger: pino({ level: 'trace' }, { write: (line: string) => log.push(JSON.parse(line)) }),
    basePath: '',
    publicUrl: null,
    tokenUrl: null,
    version: '1.2.3',
    limits: {
      maxUploadBytes: 4 * 1024 * 1024,
      uploadIdleMs: 60_000,
      uploadFloor: { bytesPerSecond: 0, windowMs: 60_000 },
      uploadsAtOnce: 1000,
      maxProcessingWaitMs: 0,
      minFreeBytes: 0,
    },
    quotas: {
      requests: rateOf(1_000_000),
      uploads: slotsOf(null),
      files: rateOf(1_000_000, { kind: 'files', windowSeconds: 86_400 }),
      mails: rateOf(1000, { kind: 'mails', windowSeconds: 3600 }),
      webhooks: rateOf(1000, { kind: 'webhooks', windowSeconds: 3600 }),
      logins: rateOf(1000, { kind: 'logins', windowSeconds: 3600 }),
      recipientDomains: [],
    },
    trustedProxies: 0,
    defaultRecipient: null,
    observers: [],
    page: null,
    processing: { uploads: {} },
  };
}

/** Imports with the data of a test. */
export function fakeReports(
  record: (id: number) => Promise<unknown>,
  moment: Partial<ImportMoment> = {},
): ReportRepository {
  async function* nothing() {}
  return {
    onSnapshot: (importId, read) =>
      read({
        record: () => record(importId) as Promise<PackageImportRow>,
        notification: async () => null,
        submissionCounts: async () => ({
          progress: zeroStatusCounts(),
          queued: 0,
          refused: 0,
          offersInsert: false,
        }),
        submissions: nothing,
        warnings: async () => new Map(),
        fileCounts: async () => ({ failed: 0, skipped: 0, unreadable: 0, lastId: 0 }),
        files: nothing,
        ...moment,
      }),
    counts: async () =>
      importCounts({ progress: zeroStatusCounts(), queued: 0, refused: 0 }, { failed: 0, skipped: 0 }),
    submissions: nothing,
    warnings: async () => new Map(),
    files: nothing,
    failedFile: async () => null,
  };
}
