/** Package imports: their record, their progress and their end. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImportStatus } from '../../domain/package-import.ts';
import type { Submitters } from '../../domain/submitters.ts';
import { audit } from '../audit.ts';
import { ImportFile } from '../entities/import-file.ts';
import { Notification } from '../entities/notification.ts';
import { PackageImport, type PackageImportRow } from '../entities/package-import.ts';
import { QueueResultEntity } from '../entities/queue-result.ts';
import { Submission } from '../entities/submission.ts';
import { Submitter } from '../entities/submitter.ts';
import type { Orm } from '../orm.ts';

export interface NewImport {
  uuid: string;
  clientId: string;
  /** Whose products it may bring; absent or null for all. */
  submitters?: Submitters;
  comment: string | null;
  fileName: string;
  storageKey: string;
  zipFilePath: string;
  sizeBytes: number;
  uploadedAt: Date;
  /** Recipient of the summary e-mail, or null when nobody is to get one. */
  notificationEmail: string | null;
}

export interface ImportFilter {
  /** Only imports of this client; undefined for operators, who see all. */
  clientId?: string | undefined;
  status?: ImportStatus | undefined;
}

export function createImportRepository(orm: Orm) {
  return {
    /** Stores the import and, with an address, its pending notification. Returns the import's id. */
    async create(values: NewImport): Promise<number> {
      return orm.em.fork().transactional((em) => insertImport(em, values));
    },

    async find(id: number): Promise<PackageImportRow | null> {
      return orm.em.fork().findOne(PackageImport, { id });
    },

    /** Newest first. `before` is the id below which to go on. */
    async list(
      filter: ImportFilter,
      page: { limit: number; before?: number | undefined },
    ): Promise<PackageImportRow[]> {
      const where = {
        ...(filter.clientId !== undefined && { clientId: filter.clientId }),
        ...(filter.status !== undefined && { status: filter.status }),
        ...(page.before !== undefined && { id: { $lt: page.before } }),
      };
      return orm.em.fork().find(PackageImport, where, { orderBy: { id: 'desc' }, limit: page.limit });
    },

    /** Bytes that are kept of a client's imports: their packages, and the attachments that they have brought. */
    async keptBytes(clientId: string): Promise<number> {
      const [row] = await orm.em.fork().execute<{ bytes: string }[]>(
        `select coalesce(sum(size_bytes + attachment_bytes), 0) as bytes from zip_import
          where client_id = ? and archive_removed_at is null`,
        [clientId],
      );
      return Number(row?.bytes ?? 0);
    },

    /** In archive order. */
    async report(id: number) {
      const em = orm.em.fork();
      const [submissions, files, queueResults, notification] = await Promise.all([
        em.find(
          Submission,
          { packageImport: id },
          { orderBy: { entryIndex: 'asc' }, disableIdentityMap: true },
        ),
        em.find(
          ImportFile,
          { packageImport: id },
          { orderBy: { entryIndex: 'asc' }, disableIdentityMap: true },
        ),
        em.find(QueueResultEntity, { packageImport: id }, { disableIdentityMap: true }),
        em.findOne(Notification, { packageImport: id }),
      ]);
      return { submissions, files, queueResults, notification };
    },

    /**
     * The package cannot be read: keeps the reason, and nothing of what was read before that turned out.
     * Does nothing once the import has gone on.
     *
     * @returns the storage keys of attachments that nothing refers to any more
     */
    async fail(id: number, reason: string, actor: string): Promise<string[]> {
      return orm.em.fork().transactional(async (em) => {
        const changed = await em.nativeUpdate(
          PackageImport,
          { id, status: 'extracting' },
          { status: 'failed', failureReason: reason, completedAt: new Date(), attachmentBytes: 0 },
        );
        if (changed === 0) return [];
        await em.nativeDelete(Submission, { packageImport: id });
        await em.nativeDelete(ImportFile, { packageImport: id });
        await em.nativeDelete(Submitter, { packageImport: id });
        await audit(em, [{ actor, action: 'import.failed', importId: id, detail: { reason } }]);
        return forgetAttachments(em, id);
      });
    },

    /** A package that could not be read is read again (a reset run). */
    async reopen(id: number): Promise<void> {
      await orm.em
        .fork()
        .nativeUpdate(
          PackageImport,
          { id, status: 'failed' },
          { status: 'extracting', failureReason: null, completedAt: null },
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
  { notificationEmail, ...values }: NewImport,
): Promise<number> {
  const row = em.create(PackageImport, { ...values, status: 'extracting' });
  await em.flush();
  if (notificationEmail !== null) {
    await em.insert(Notification, { packageImport: row.id, email: notificationEmail, status: 'pending' });
  }
  const actor = `client:${values.clientId}`;
  const detail = { size_bytes: values.sizeBytes };
  await audit(em, [{ actor, action: 'import.created', importId: row.id, detail }]);
  return row.id;
}

async function forgetAttachments(em: EntityManager, importId: number): Promise<string[]> {
  const rows = await em.execute<{ storage_key: string }[]>(
    `with gone as (delete from attachment where zip_import_id = ? returning storage_key)
     select distinct storage_key from gone
      where not exists (select 1 from attachment a where a.storage_key = gone.storage_key and a.zip_import_id <> ?)`,
    [importId, importId],
  );
  return rows.map((row) => row.storage_key);
}

export type ImportRepository = ReturnType<typeof createImportRepository>;

/** Everything that an answer about one import shows, as it is stored. */
export type StoredReport = Awaited<ReturnType<ImportRepository['report']>>;
