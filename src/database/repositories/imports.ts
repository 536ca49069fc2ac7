/** Package imports: their record, their progress and their end. */

import type { EntityManager } from '@mikro-orm/postgresql';
import { clientActor } from '../../domain/actors.ts';
import { importCancelled } from '../../domain/queue.ts';
import type { Submitters } from '../../domain/submitters.ts';
import { audit } from '../audit.ts';
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
import { lockNewImport } from '../locks.ts';
import type { Orm } from '../orm.ts';
import { withLongStatements } from '../silent-connections.ts';

export interface NewImport {
  uuid: string;
  clientId: string;
  /** Who has sent it; by default its client. */
  actor?: string;
  /** Whose products it may bring; absent or null for all. */
  submitters?: Submitters;
  comment: string | null;
  fileName: string;
  storageKey: string;
  zipFilePath: string;
  sizeBytes: number;
  uploadedAt: Date;
  /** Recipients of the summary e-mail, with commas between, or null when nobody is to get one. */
  notificationEmail: string | null;
  /** Where its end is told, beside the client's webhook; absent or null for nowhere else. */
  webhookUrl?: string | null;
}

export function createImportRepository(orm: Orm) {
  return {
    /** Stores the import and, with an address, its pending notification. Returns the import's id. */
    async create(values: NewImport): Promise<number> {
      return orm.em.fork().transactional((em) => insertImport(em, values));
    },

    /**
     * The import that was stored under a uuid, or null: what came of a `create` that failed without saying whether. Waits
     * for one that may still be at work behind a lost connection, for ten seconds at most.
     *
     * @throws when it cannot be found out
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

    /** Newest first. `before` is the id of an import behind which to go on. */
    list(search: ImportSearch, page: { limit: number; before?: number | undefined }): Promise<ImportPage> {
      return searchImports(orm, search, page);
    },

    /** Of a list, how many imports have which status. */
    countListed(search: ImportSearch): Promise<ListedCounts> {
      return countImports(orm, search);
    },

    /** Changes with everything that a report shows, and is far cheaper to find out; null where there is no such import. */
    async version(id: number): Promise<string | null> {
      return importVersion(orm.em.fork(), id);
    },

    /**
     * The package cannot be read: keeps the reason, and nothing of what was read before that turned out, but for what
     * products of other packages refer to by now (decision §references-own). Does nothing once the import has gone
     * on.
     *
     * @returns the storage keys of attachments that nothing refers to any more
     */
    async fail(id: number, reason: string, actor: string): Promise<string[]> {
      const forgetting = (em: EntityManager) => failIn(em, id, reason, actor);
      return withLongStatements(() => orm.em.fork().transactional(forgetting));
    },

    /** A package that could not be read is read again (a reset run), unless retention has removed it. */
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

    /** Every submission has its queue result. */
    async markQueued(id: number): Promise<void> {
      await orm.em
        .fork()
        .nativeUpdate(
          PackageImport,
          { id, status: 'extracting' },
          { status: 'inserting', queuedAt: new Date() },
        );
    },

    /** The import's workflow was gone and has been started again. */
    async recordResumed(id: number, actor: string): Promise<void> {
      await audit(orm.em.fork(), [{ actor, action: 'import.resumed', importId: id }]);
    },

    /**
     * Keeps who wants the import to be cancelled, the first time, and gives up what of it was still to be run again. False
     * when it is over.
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

    /** Every insert has ended and the summary has been dealt with. */
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

/** To be called in a transaction. */
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
 * Waits for whoever is just recording a reference to what an import has brought, and lets nobody else begin. A statement
 * of its own: the next one sees what those have committed, which the same statement would not.
 */
async function lockBrought(
  em: EntityManager,
  table: 'attachment' | 'submitter',
  importId: number,
): Promise<void> {
  await em.execute(`select id from ${table} where zip_import_id = ? order by id for update`, [importId]);
}

export type ImportRepository = ReturnType<typeof createImportRepository>;
