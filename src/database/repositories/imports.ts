/** Repository of package imports: their record, progress and end. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImportFailureCode } from '../../contract/error-codes.ts';
import { clientActor } from '../../domain/actors.ts';
import { importCancelled } from '../../domain/queue.ts';
import { IS_UNREFERRED_SUBMITTER } from '../conditions.ts';
import { withLongStatements } from '../connections.ts';
import { lockNewImport } from '../coordination/locks.ts';
import {
  ImportFile,
  Notification,
  PackageImport,
  type PackageImportRow,
} from '../entities/package-import.ts';
import { Submission } from '../entities/submission.ts';
import { countImports, type ImportSearch, searchImports } from '../import-search.ts';
import type { Orm } from '../orm.ts';
import { type Columns, statements } from '../statements.ts';
import { audit, changeAudited } from './audit-trail.ts';
import { giveUpRetryOf } from './begin-retry.ts';
import { importVersion } from './reports.ts';

type UploadedColumn =
  | ('uuid' | 'clientId' | 'tenant' | 'comment' | 'uploadedAt')
  | ('fileName' | 'storageKey' | 'zipFilePath' | 'sizeBytes' | 'sha256');

/** An import to store. Without `submitters` it may contain products of all. */
export interface NewImport
  extends Columns<PackageImportRow, UploadedColumn>,
    Partial<Columns<PackageImportRow, 'submitters' | 'webhookUrl'>> {
  /** Actor of the upload; by default the client. */
  actor?: string;
  /** Recipients of the summary e-mail, separated by commas; null for no mail. */
  notificationEmail: string | null;
  /** The file that this import mends; absent for most imports. */
  mends?: MendedFile;
}

/** A product file that failed, and the corrected one. Digests are hexadecimal SHA-256. */
export interface MendedFile {
  importId: number;
  xmlFile: string;
  sha256Before: string;
  sha256After: string;
}

/** Why an import ended without a result. */
export interface Failure {
  /** For people, in whole sentences. */
  reason: string;
  code: ImportFailureCode;
}

export function createImportRepository(orm: Orm) {
  return {
    /** Stores the import and, if it has recipients, its pending notification. */
    create: (values: NewImport) => orm.em.fork().transactional((em) => insertImport(em, values)),

    /**
     * The import with a uuid, or null: resolves a `create` that failed with an unknown result. Waits at most ten
     * seconds for a `create` that may still run behind a lost connection.
     *
     * @throws when the result cannot be determined
     */
    async findSettled(uuid: string): Promise<PackageImportRow | null> {
      return orm.em.fork().transactional(async (em) => {
        await statements(em).run`set local lock_timeout = '10s'`;
        await lockNewImport(em, uuid);
        return em.findOne(PackageImport, { uuid });
      });
    },

    find: (id: number) => orm.em.fork().findOne(PackageImport, { id }),

    /** Imports, newest first, after the import with the id `before`. */
    list: (search: ImportSearch, page: { limit: number; before?: number | undefined }) =>
      searchImports(orm, search, page),

    /** Counts the imports of a list by status. */
    countListed: (search: ImportSearch) => countImports(orm, search),

    /** A tag that changes with everything that a report shows, and costs far less; null for an unknown import. */
    version: (id: number) => importVersion(orm.em.fork(), id),

    /**
     * Fails an import whose package cannot be read. Keeps the reason. Removes what was recorded from the package of the
     * import, except its attachments and the submitters that products of other packages refer to (decision
     * §references-own). Does nothing after the package was read: its products may be inserted already.
     */
    async fail(id: number, failure: Failure, actor: string): Promise<void> {
      await withLongStatements(() => orm.em.fork().transactional((em) => failIn(em, id, failure, actor)));
    },

    /** Reopens a failed import for another reading (a reset run), unless retention has removed its package. */
    async reopen(id: number): Promise<void> {
      await orm.em.fork().nativeUpdate(
        PackageImport,
        { id, status: 'failed', archiveRemovedAt: null },
        {
          status: 'extracting',
          failureReason: null,
          failureCode: null,
          completedAt: null,
          cancelledBy: null,
          cancelRequestedAt: null,
        },
      );
    },

    /** Records that every file of the package has its outcome. */
    async markRead(id: number): Promise<void> {
      await orm.em
        .fork()
        .nativeUpdate(PackageImport, { id, readAt: null, status: { $ne: 'failed' } }, { readAt: new Date() });
    },

    /**
     * Records the end of queuing. The import counts as queued if every submission has its queue result and no
     * cancellation was requested before: the answer to the upload depends on that.
     */
    async markQueued(id: number): Promise<void> {
      await statements(orm.em.fork()).run`
        update zip_import i
           set status = 'inserting',
               queued_at = case when i.cancel_requested_at is null and not exists (
                 select from submission s left join queue_result q on q.submission_id = s.id
                  where s.zip_import_id = i.id and q.submission_id is null) then now() end
         where i.id = ${id} and i.status = 'extracting'
      `;
    },

    /**
     * Records the first actor who cancels the import, and ends an open retry of the import. False if the import is
     * over, or nothing of it can be cancelled any more: it waits for its summary only.
     */
    async requestCancel(id: number, actor: string): Promise<boolean> {
      return orm.em.fork().transactional(async (em) => {
        const changed = await statements(em).run`
          update zip_import i set cancelled_by = ${actor}, cancel_requested_at = now()
           where i.id = ${id} and i.completed_at is null and i.cancel_requested_at is null
             and (i.status = 'extracting'
                  or exists (select from submission s where s.zip_import_id = i.id and s.status = 'regulator_inserting')
                  or exists (select from import_retry r where r.zip_import_id = i.id and r.ended_at is null))
        `;
        if (changed === 0)
          return (
            (await em.count(PackageImport, { id, completedAt: null, cancelRequestedAt: { $ne: null } })) > 0
          );
        await audit(em, { actor, action: 'import.cancel_requested', importId: id });
        await giveUpRetryOf(em, id, importCancelled(actor));
        return true;
      });
    },

    /** Records the end: every insert has ended, and the summary is sent or given up. */
    async complete(id: number, status: 'completed' | 'cancelled', actor: string): Promise<void> {
      const ended = { status, completedAt: new Date() };
      await changeAudited(orm, (em) => em.nativeUpdate(PackageImport, { id, completedAt: null }, ended), {
        actor,
        action: `import.${status}`,
        importId: id,
      });
    },
  };
}

/** Inserts an import. Requires a transaction. */
export async function insertImport(
  em: EntityManager,
  { notificationEmail, actor, mends, ...values }: NewImport,
): Promise<PackageImportRow> {
  await lockNewImport(em, values.uuid);
  const row = em.create(PackageImport, { ...values, status: 'extracting' });
  await em.flush();
  if (notificationEmail !== null) {
    await em.insert(Notification, { packageImport: row.id, email: notificationEmail, status: 'pending' });
  }
  const detail = { size_bytes: values.sizeBytes, ...(mends && { mends: mendsDetail(mends) }) };
  await audit(em, {
    actor: actor ?? clientActor(values.clientId),
    action: 'import.created',
    importId: row.id,
    detail,
  });
  return row;
}

function mendsDetail({ importId, xmlFile, sha256Before, sha256After }: MendedFile) {
  return { import_id: importId, xml_file: xmlFile, sha256_before: sha256Before, sha256_after: sha256After };
}

async function failIn(
  em: EntityManager,
  id: number,
  { reason, code }: Failure,
  actor: string,
): Promise<void> {
  const failed = {
    status: 'failed' as const,
    failureReason: reason,
    failureCode: code,
    completedAt: new Date(),
    attachmentBytes: 0,
  };
  const changed = await em.nativeUpdate(PackageImport, { id, status: 'extracting', readAt: null }, failed);
  if (changed === 0) return;
  await em.nativeDelete(Submission, { packageImport: id });
  await em.nativeDelete(ImportFile, { packageImport: id });
  await removeUnreferredSubmitters(em, id);
  await audit(em, { actor, action: 'import.failed', importId: id, detail: { reason } });
}

/**
 * Locks the submitters first: this waits for transactions that record references to them, and blocks new ones. It is a
 * separate statement: only the next statement sees the references that were committed during the wait.
 */
async function removeUnreferredSubmitters(em: EntityManager, importId: number): Promise<void> {
  await statements(em).run`select id from submitter where zip_import_id = ${importId} order by id for update`;
  await statements(em).run`
    delete from submitter u where u.zip_import_id = ${importId} and ${IS_UNREFERRED_SUBMITTER}
  `;
}
