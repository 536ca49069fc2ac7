/** Warns about a process that could change the audit trail. */
import type { Logger } from 'pino';
import type { Config } from '../../config/index.ts';
import type { Database } from '../../database/index.ts';

/** The embedded PostgreSQL of `npm start` has one role only, and is not reported. */
export async function warnAboutTableOwner(
  { database: { embedded } }: Pick<Config, 'database'>,
  { auditTrail }: Pick<Database, 'auditTrail'>,
  logger: Pick<Logger, 'warn'>,
): Promise<void> {
  if (embedded || !(await auditTrail.isOwned())) return;
  logger.warn(
    'DATABASE_URL has the role that owns the table audit_event, so this process could change the audit trail and the schema: use the role of deploy/database-roles.sql',
  );
}
