/**
 * Queries of retention (decision §retention): packages and raw XML of imports that are over, and attachments that
 * nobody needs any more. The records stay.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { audit } from '../audit.ts';
import { lockContent } from '../coordination/locks.ts';
import { PackageImport } from '../entities/package-import.ts';
import type { Orm } from '../orm.ts';
import { withLongStatements } from '../silent-connections.ts';
import { isSuperseded } from '../superseded.ts';

export interface ExpiredImport {
  importId: number;
  storageKey: string;
}

/** Age limits of packages: packages uploaded before them may be removed. Imports that failed have their own. */
export interface Expiry {
  uploadedBefore: Date;
  failedBefore: Date;
}

/** Condition on `zip_import i`, with the values of `valuesOf`. */
const EXPIRED = `i.completed_at is not null and i.archive_removed_at is null
  and (i.uploaded_at < ? or (i.status = 'failed' and i.uploaded_at < ?))
  and not exists (select 1 from submission s where s.zip_import_id = i.id and s.status = 'regulator_inserting')`;

const valuesOf = ({ uploadedBefore, failedBefore }: Expiry) => [uploadedBefore, failedBefore];

/** Condition: a product of the client refers to some version of the attachment. */
const REFERRED = `exists (
    select 1 from attachment version join submission_attachment link on link.attachment_row_id = version.id
     where version.client_id = a.client_id and version.attachment_id = a.attachment_id)`;

/**
 * Condition: a product file of the package failed. The repaired file may refer to attachments that no product refers to
 * yet.
 */
const TO_BE_MENDED = `exists (
    select 1 from zip_import_file f
     where f.zip_import_id = i.id and f.kind = 'product' and f.outcome = 'failed')`;

/**
 * A version of an attachment is needed
 * - until its import is over, and for a day after it was stored;
 * - until it was sent to the regulator with every submission that refers to it and can still be sent: a superseded
 *   submission never can.
 *
 * If a product refers to the attachment, or a product of its package may yet be repaired, the version is also needed
 * - as long as its package is kept.
 *
 * If a product refers to the attachment, the version is also needed
 * - while it is the newest of its client: later packages refer to it without sending it again. It is kept a day longer,
 *   for imports that looked it up just before a newer one was stored. A version of a package that is still being read
 *   does not count as newer: it is removed if the package turns out to be damaged.
 */
const NEEDED = `
  i.completed_at is null or a.created_at > now() - interval '1 day'
  or exists (
    select 1 from submission_attachment link join submission s on s.id = link.submission_id
     where link.attachment_row_id = a.id and link.sent_at is null and s.status <> 'regulator_inserted'
       and (s.status = 'regulator_inserting' or not ${isSuperseded('s')}))
  or (i.uploaded_at >= ? and (${REFERRED} or ${TO_BE_MENDED}))
  or (${REFERRED} and not exists (
    select 1 from attachment newer join zip_import by on by.id = newer.zip_import_id and by.status <> 'extracting'
     where newer.client_id = a.client_id and newer.attachment_id = a.attachment_id and newer.id > a.id
       and newer.created_at < now() - interval '1 day'))`;

export function createRetentionRepository(orm: Orm) {
  return {
    /** Expired imports that are over and still have their package, oldest first, after the id `after`. */
    async expiredImports(expiry: Expiry, after: number, limit: number): Promise<ExpiredImport[]> {
      const rows = await withLongStatements(() =>
        orm.em
          .fork()
          .execute<{ id: number; storage_key: string }[]>(
            `select id, storage_key from zip_import i where ${EXPIRED} and id > ? order by id limit ?`,
            [...valuesOf(expiry), after, limit],
          ),
      );
      return rows.map((row) => ({ importId: row.id, storageKey: row.storage_key }));
    },

    /**
     * Removes the raw XML of an expired import and marks its package as removed, in one transaction. Does nothing if
     * the import was reopened after it was found. A concurrent reopening waits. Returns whether it was removed.
     */
    async removeExpired(importId: number, expiry: Expiry, actor: string): Promise<boolean> {
      const removing = async (em: EntityManager) => {
        const [expired] = await em.execute<{ id: number }[]>(
          `select id from zip_import i where id = ? and ${EXPIRED} for update`,
          [importId, ...valuesOf(expiry)],
        );
        if (!expired) return false;
        await em.execute(
          'update submission set raw_xml = null where zip_import_id = ? and raw_xml is not null',
          [importId],
        );
        await em.nativeUpdate(PackageImport, { id: importId }, { archiveRemovedAt: new Date() });
        await audit(em, [{ actor, action: 'import.archive_removed', importId }]);
        return true;
      };
      return withLongStatements(() => orm.em.fork().transactional(removing));
    },

    /** Marks the package of an import that is over as removed. Idempotent. */
    async markRemoved(importId: number, actor: string): Promise<void> {
      await orm.em.fork().transactional(async (em) => {
        const where = { id: importId, completedAt: { $ne: null }, archiveRemovedAt: null };
        const changed = await em.nativeUpdate(PackageImport, where, { archiveRemovedAt: new Date() });
        if (changed > 0) await audit(em, [{ actor, action: 'import.archive_removed', importId }]);
      });
    },

    /** Keys among `keys` of imported packages that were not removed. */
    async keptPackages(keys: readonly string[]): Promise<Set<string>> {
      const rows = await orm.em.fork().execute<{ storage_key: string }[]>(
        `select storage_key from zip_import
          where archive_removed_at is null and storage_key in (select jsonb_array_elements_text(?::jsonb))`,
        [JSON.stringify(keys)],
      );
      return new Set(rows.map((row) => row.storage_key));
    },

    /** Keys among `keys` with a needed version of an attachment. */
    async neededAttachments(keys: readonly string[], uploadedBefore: Date): Promise<Set<string>> {
      return withLongStatements(() => neededAttachments(orm.em.fork(), keys, uploadedBefore));
    },

    /**
     * Removes an attachment's content unless it is needed. Imports of the same content wait meanwhile. Returns whether
     * it was removed.
     */
    async removeAttachment(key: string, uploadedBefore: Date, remove: () => Promise<void>): Promise<boolean> {
      /** False if it is needed. */
      const unlessNeeded = (work: (em: EntityManager) => Promise<void>) =>
        orm.em.fork().transactional(async (em) => {
          await lockContent(em, key);
          const needed = await neededAttachments(em, [key], uploadedBefore);
          if (needed.has(key)) return false;
          await work(em);
          return true;
        });
      // The records change first, so that nothing refers to missing content. A crash here leaves a file without a
      // record.
      return withLongStatements(
        async () => (await unlessNeeded((em) => forgetUnreferred(em, key))) && unlessNeeded(remove),
      );
    },
  };
}

/** Deletes the record of unreferenced content: otherwise later products would be linked to missing content. */
async function forgetUnreferred(em: EntityManager, key: string): Promise<void> {
  await em.execute(
    `with gone as (
       delete from attachment a where storage_key = ?
          and not exists (select 1 from submission_attachment link where link.attachment_row_id = a.id)
       returning zip_import_id, size_bytes
     ), first as (select min(zip_import_id) as id, max(size_bytes) as bytes from gone)
     update zip_import i set attachment_bytes = greatest(0, i.attachment_bytes - first.bytes)
       from first where i.id = first.id`,
    [key],
  );
}

async function neededAttachments(
  em: EntityManager,
  keys: readonly string[],
  uploadedBefore: Date,
): Promise<Set<string>> {
  const rows = await em.execute<{ storage_key: string }[]>(
    `select distinct a.storage_key from attachment a join zip_import i on i.id = a.zip_import_id
      where a.storage_key in (select jsonb_array_elements_text(?::jsonb)) and (${NEEDED})`,
    [JSON.stringify(keys), uploadedBefore],
  );
  return new Set(rows.map((row) => row.storage_key));
}
