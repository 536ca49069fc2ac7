/** What the gateway works with. Everything is passed in; the gateway keeps no state of its own. */
import type { Logger } from 'pino';
import type { ArchiveStorage } from '../archive/storage.ts';
import type { Database } from '../database/index.ts';
import type { RegulatorSessions } from '../regulator/session.ts';
import type { ImportRuns } from '../temporal/import-runs.ts';
import type { InsertRuns } from '../temporal/insert-runs.ts';
import type { TokenRules } from './middleware/authenticate.ts';

export interface GatewayDependencies {
  database: Pick<Database, 'imports' | 'submissions' | 'queue' | 'insertRuns'>;
  storage: ArchiveStorage;
  sessions: RegulatorSessions;
  importRuns: ImportRuns;
  runs: InsertRuns;
  tokens: TokenRules;
  logger: Logger;
  basePath: string;
  /** Where clients get their tokens, for the API description; null where it is not known. */
  tokenUrl: string | null;
  limits: { maxUploadBytes: number; uploadIdleMs: number };
  /** Who gets the summary when the upload names nobody; null for nobody. */
  defaultRecipient: string | null;
  /** What has to work so that an upload would be processed, by name; each rejects with the reason. */
  readiness: Readonly<Record<string, () => Promise<void>>>;
}
