/** Repository of attachments and submitters. Each is stored once, for all products that refer to it. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { UnreadableFile } from '../../domain/package-check.ts';
import type { AttachmentContent, Json, SentAttachment } from '../../domain/product.ts';
import { IS_UNREFERRED_ATTACHMENT } from '../conditions.ts';
import { lockContent } from '../coordination/locks.ts';
import { ImportFile } from '../entities/package-import.ts';
import { Attachment, Submitter } from '../entities/submission.ts';
import type { Orm } from '../orm.ts';
import { insertRows, ONCE_PER_PATH, statements } from '../statements.ts';
import { lockReading } from './reading.ts';

export interface NewAttachment extends AttachmentContent {
  tenant: string;
  entryPath: string;
  storageKey: string;
}

interface NewSubmitter {
  tenant: string;
  submitterId: string;
  entryPath: string;
  details: Json;
}

/** Tenant and import whose products refer to a file. `importId` is null for a dry run, which stores no files. */
interface ReferringImport {
  tenant: string;
  importId: number | null;
}

export function createReferredFileRepository(orm: Orm) {
  const db = statements(orm.em.fork());

  /** An attempt that counts as lost may still record after the end of the import. */
  async function unlessOver(
    importId: number,
    record: (em: EntityManager) => Promise<unknown>,
  ): Promise<void> {
    await orm.em.fork().transactional(async (em) => {
      if ((await lockReading(em, importId)) !== null) await record(em);
    });
  }

  return {
    /** Paths of the handled files of an import other than product files, and the number of those that were not read. */
    async recorded(importId: number): Promise<{ paths: Set<string>; unreadable: number }> {
      const rows = await db.rows<{ entryPath: string; unreadable: boolean }>`
        select entry_path, false as unreadable from attachment where zip_import_id = ${importId}
        union all
        select entry_path, false from submitter where zip_import_id = ${importId}
        union all
        select entry_path, true from zip_import_file where zip_import_id = ${importId} and kind <> 'product'
      `;
      return {
        paths: new Set(rows.map(({ entryPath }) => entryPath)),
        unreadable: rows.filter(({ unreadable }) => unreadable).length,
      };
    },

    /**
     * Records an attachment with its content, unless the import has ended meanwhile. The import counts the bytes of the
     * content unless another package of its tenant counts them already. Contents of other tenants make no difference: the
     * count would tell what they have.
     *
     * @param store stores missing content; until the record is written, retention does not remove it
     */
    async recordAttachment(
      importId: number,
      attachment: NewAttachment,
      store: () => Promise<void>,
    ): Promise<void> {
      const row = { ...attachment, packageImport: importId, createdAt: new Date() };
      await orm.em.fork().transactional(async (em) => {
        await lockContent(em, attachment.storageKey);
        await store();
        // Content without a record is removed by retention.
        if ((await lockReading(em, importId)) === null) return;
        const { tenant, storageKey, sizeBytes } = attachment;
        await statements(em).run`
          update zip_import set attachment_bytes = attachment_bytes + ${sizeBytes}
           where id = ${importId} and not exists (
             select 1 from attachment a join zip_import by on by.id = a.zip_import_id
              where a.storage_key = ${storageKey} and a.tenant = ${tenant}
                and by.status <> 'failed' and by.archive_removed_at is null)
        `;
        await insertRows(em, Attachment, [row], ONCE_PER_PATH);
      });
    },

    /** Attachments of a failed import that no product refers to, after the row `after`. */
    unreferredOfFailed: (importId: number, after: number, limit: number) =>
      db.rows<{ id: number; storageKey: string }>`
        select a.id, a.storage_key from attachment a join zip_import i on i.id = a.zip_import_id
         where i.id = ${importId} and i.status = 'failed' and a.id > ${after} and ${IS_UNREFERRED_ATTACHMENT}
         order by a.id limit ${limit}
      `,

    /**
     * Removes the attachments of an import with this content, except those that products refer to. Removes the content
     * unless another record has it. Does nothing unless the import has failed: it may be read again.
     *
     * @param remove removes the content; the records stay if it fails, for the next attempt
     */
    async removeOfFailed(importId: number, storageKey: string, remove: () => Promise<void>): Promise<void> {
      await orm.em.fork().transactional(async (em) => {
        const db = statements(em);
        await lockContent(em, storageKey);
        const failed = await db.row`
          select id from zip_import where id = ${importId} and status = 'failed' for no key update
        `;
        if (!failed) return;
        // Waits for transactions that record references to the attachments. Only the next statement sees them.
        await db.run`
          select id from attachment where zip_import_id = ${importId} and storage_key = ${storageKey} for update
        `;
        await db.run`
          delete from attachment a where a.zip_import_id = ${importId} and a.storage_key = ${storageKey} and ${IS_UNREFERRED_ATTACHMENT}
        `;
        if (await db.row`select id from attachment where storage_key = ${storageKey} limit 1`) return;
        await remove();
      });
    },

    /** Does nothing after the end of the import. */
    async recordSubmitter(importId: number, submitter: NewSubmitter): Promise<void> {
      const row = { ...submitter, packageImport: importId };
      await unlessOver(importId, (em) => insertRows(em, Submitter, [row], ONCE_PER_PATH));
    },

    /** Records why a file other than a product file was not read. Does nothing after the end of the import. */
    async recordUnreadable(
      importId: number,
      file: UnreadableFile & { entryIndex: number; entryPath: string },
    ): Promise<void> {
      const row = { ...file, packageImport: importId, outcome: 'failed' as const, productId: null };
      await unlessOver(importId, (em) => insertRows(em, ImportFile, [row], ONCE_PER_PATH));
    },

    /** The version of each attachment that the products of an import refer to. Unknown ones are absent. */
    async latestAttachments(
      attachmentIds: string[],
      ofImport: ReferringImport,
    ): Promise<Map<string, SentAttachment & { id: number }>> {
      if (attachmentIds.length === 0) return new Map();
      const rows = await db.rows<SentAttachment & { attachmentId: string; id: number }>`
        select a.attachment_id, a.id, a.sha256, a.file_name, a.content_type, a.confidential
          from unnest(${attachmentIds}::uuid[]) as asked(attachment_id)
          join attachment a on a.id = ${latestOf('attachment', 'attachment_id', ofImport)}
      `;
      return new Map(rows.map(({ attachmentId, ...attachment }) => [attachmentId, attachment]));
    },

    /** The file of each submitter that the products of an import refer to. Unknown ones are absent. */
    async latestSubmitters(
      submitterIds: string[],
      ofImport: ReferringImport,
    ): Promise<Map<string, { id: number; details: Json }>> {
      if (submitterIds.length === 0) return new Map();
      const rows = await db.rows<{ submitterId: string; id: number; details: Json }>`
        select u.submitter_id, u.id, u.details
          from unnest(${submitterIds}::text[]) as asked(submitter_id)
          join submitter u on u.id = ${latestOf('submitter', 'submitter_id', ofImport)}
      `;
      return new Map(rows.map(({ submitterId, ...submitter }) => [submitterId, submitter]));
    },
  };
}

/**
 * Expression: the row of the `asked` file that the products of an import refer to: the file of its own package, else
 * that of the tenant's latest import that has one, in whichever order the packages are read (decision §references-own).
 */
function latestOf(table: string, id: string, { tenant, importId }: ReferringImport) {
  const found = sql`from ${sql.table(table)} f where f.tenant = ${tenant} and f.${sql.id(id)} = asked.${sql.id(id)}`;
  return sql`coalesce(
    (select max(f.id) ${found} and f.zip_import_id = ${importId}::bigint),
    (select f.id ${found} order by f.zip_import_id desc, f.id desc limit 1))`;
}
