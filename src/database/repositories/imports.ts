/** Repository of package imports: their record, progress and end. */

import type { EntityManager } from '@mikro-orm/postgresql';
import { clientActor } from '../../domain/actors.ts';
import { importCancelled } from '../../domain/queue.ts';
import type { Submitters } from '../../domain/submitters.ts';
import { audit } from '../audit.ts';
import { lockNewImport } from '../coordination/locks.ts';
import { ImportFile } from '../entities/import-file.ts';
import { Notification } from '../entities/notification.ts';
import { PackageImport, type PackageImportRow } from '../entities/package-import.ts';
import { Submission } from '../entities/submission.ts';
import { giveUpRetryOf } from '../give-up-retry.ts';
import {
  countImports,
  type ImportPage,
  type ImportSearch,
  type ListedCounts,
  searchImports,
} from '../import-search.ts';
import { importVersion } from '../import-version.ts';
import type { Orm } from '../orm.ts';
import { withLongStatements } from '../silent-connections.ts';

export interface NewImport {
  uuid: string;
  clientId: string;
  /** Actor of the upload; by default the client. */
  actor?: string;
  /** Submitters whose products it may contain; absent or null for all. */
  submitters?: Submitters;
  comment: string | null;
  fileName: string;
  storageKey: string;
  zipFilePath: string;
  sizeBytes: number;
  uploadedAt: Date;
  /** Recipients of the summary e-mail, separated by commas; null for no mail. */
  notificationEmail: string | null;
  /** URL for the message about its end, beside the client's webhook; absent or null for none. */
  webhookUrl?: string | null;
}

export function createImportRepository(orm: Orm) {
  return {
    /** Stores the import and, if it has recipients, its pending notification. Returns the import's id. */
    async create(values: NewImport): Promise<number> {
      return orm.em.fork().transactional((em) => insertImport(em, values));
    },

    /**
     * The import with a uuid, or null: resolves a `create` that failed with an unknown result. Waits at most ten
     * seconds for a `create` that may still run behind a lost connection.
     *
     * @throws when the result cannot be determined
     */
    async findSettled(uuid: string): Promise<PackageImportRow | null> {
      return orm.em.fork().transactional(async (em) => {
        await em.execute(`set local lock_timeout = '10s'`);
        await lockNewImport(em, uuid);
        return em.findOne(PackageImport, { uuid });
      });
    },

    async find(id: number): Promise<PackageImportRow | null> {
      return orm.em.fork().findOne(PackageImport, { id });
    },

    /** Imports, newest first, after the import with the id `before`. */
    list(search: ImportSearch, page: { limit: number; before?: number | undefined }): Promise<ImportPage> {
      return searchImports(orm, search, page);
    },

    /** Counts the imports of a list by status. */
    countListed(search: ImportSearch): Promise<ListedCounts> {
      return countImports(orm, search);
    },

    /**
     * A tag that changes with everything that a report shows, and costs far less than the report; null for an unknown
     * import.
     */
    async version(id: number): Promise<string | null> {
      return importVersion(orm.em.fork(), id);
    },

    /**
     * Fails an import whose package cannot be read. Keeps the reason. Removes the records that were read before, except
     * those that products of other packages refer to (decision §references-own). Does nothing after the import has
     * left `extracting`.
     *
     * @returns the storage keys of attachments that are no longer referenced
     */
    async fail(id: number, reason: string, actor: string): Promise<string[]> {
      const forgetting = (em: EntityManager) => failIn(em, id, reason, actor);
      return withLongStatements(() => orm.em.fork().transactional(forgetting));
    },

    /** Reopens a failed import for another reading (a reset run), unless retention has removed its package. */
    async reopen(id: number): Promise<void> {
      await orm.em.fork().nativeUpdate(
        PackageImport,
        { id, status: 'failed', archiveRemovedAt: null },
        {
          status: 'extracting',
          failureReason: null,
          completedAt: null,
          cancelledBy: null,
          cancelRequestedAt: null,
        },
      );
    },

    /** Records that every submission has its queue result. */
    async markQueued(id: number): Promise<void> {
      await orm.em
        .fork()
        .nativeUpdate(
          PackageImport,
          { id, status: 'extracting' },
          { status: 'inserting', queuedAt: new Date() },
        );
    },

    /** Records that the lost workflow of an import was started again. */
    async recordResumed(id: number, actor: string): Promise<void> {
      await audit(orm.em.fork(), [{ actor, action: 'import.resumed', importId: id }]);
    },

    /**
     * Records the first actor who cancels the import, and ends an open retry of the import. False if the import is
     * over.
     */
    async requestCancel(id: number, actor: string): Promise<boolean> {
      return orm.em.fork().transactional(async (em) => {
        const changed = await em.nativeUpdate(
          PackageImport,
          { id, completedAt: null, cancelRequestedAt: null },
          { cancelledBy: actor, cancelRequestedAt: new Date() },
        );
        if (changed === 0) return (await em.count(PackageImport, { id, completedAt: null })) > 0;
        await audit(em, [{ actor, action: 'import.cancel_requested', importId: id }]);
        await giveUpRetryOf(em, id, importCancelled(actor));
        return true;
      });
    },

    /** Records the end: every insert has ended, and the summary is sent or given up. */
    async complete(id: number, status: 'completed' | 'cancelled', actor: string): Promise<void> {
      await orm.em.fork().transactional(async (em) => {
        const changed = await em.nativeUpdate(
          PackageImport,
          { id, completedAt: null },
          { status, completedAt: new Date() },
        );
        if (changed > 0) await audit(em, [{ actor, action: `import.${status}`, importId: id }]);
      });
    },
  };
}

/** Inserts an import. Requires a transaction. */
export async function insertImport(
  em: EntityManager,
  { notificationEmail, actor, ...values }: NewImport,
): Promise<number> {
  await lockNewImport(em, values.uuid);
  const row = em.create(PackageImport, { ...values, status: 'extracting' });
  await em.flush();
  if (notificationEmail !== null) {
    await em.insert(Notification, { packageImport: row.id, email: notificationEmail, status: 'pending' });
  }
  const detail = { size_bytes: values.sizeBytes };
  await audit(em, [
    { actor: actor ?? clientActor(values.clientId), action: 'import.created', importId: row.id, detail },
  ]);
  return row.id;
}

async function failIn(em: EntityManager, id: number, reason: string, actor: string): Promise<string[]> {
  const changed = await em.nativeUpdate(
    PackageImport,
    { id, status: 'extracting' },
    { status: 'failed', failureReason: reason, completedAt: new Date(), attachmentBytes: 0 },
  );
  if (changed === 0) return [];
  await em.nativeDelete(Submission, { packageImport: id });
  await em.nativeDelete(ImportFile, { packageImport: id });
  await audit(em, [{ actor, action: 'import.failed', importId: id, detail: { reason } }]);
  await forgetSubmitters(em, id);
  return forgetAttachments(em, id);
}

async function forgetSubmitters(em: EntityManager, importId: number): Promise<void> {
  await lockBrought(em, 'submitter', importId);
  await em.execute(
    `delete from submitter where zip_import_id = ?
        and not exists (select 1 from submission s where s.submitter_row_id = submitter.id)`,
    [importId],
  );
}

async function forgetAttachments(em: EntityManager, importId: number): Promise<string[]> {
  await lockBrought(em, 'attachment', importId);
  const rows = await em.execute<{ storage_key: string }[]>(
    `with gone as (
       delete from attachment where zip_import_id = ?
          and not exists (select 1 from submission_attachment link where link.attachment_row_id = attachment.id)
       returning id, storage_key)
     select distinct storage_key from gone
      where not exists (
        select 1 from attachment a where a.storage_key = gone.storage_key and a.id not in (select id from gone))`,
    [importId],
  );
  return rows.map((row) => row.storage_key);
}

/**
 * Locks what an import has brought: waits for transactions that record references to it, and blocks new ones. It is a
 * separate statement: only the next statement sees the references that were committed during the wait.
 */
async function lockBrought(
  em: EntityManager,
  table: 'attachment' | 'submitter',
  importId: number,
): Promise<void> {
  await em.execute(`select id from ${table} where zip_import_id = ? order by id for update`, [importId]);
}
