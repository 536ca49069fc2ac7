/**
 * Queries of retention (decision §retention): packages and raw XML of imports that are over, and attachments that
 * nobody needs any more. Imports and submissions stay. Notes, and records of unreferenced attachments and submitter
 * files, go.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { NOTES_REMOVED, plainReason } from '../../contract/reasons.ts';
import { BEHIND_ALL, UNLISTED_FILES } from '../../domain/notes.ts';
import { IS_SUPERSEDED, IS_UNREFERRED_ATTACHMENT, IS_UNREFERRED_SUBMITTER } from '../conditions.ts';
import { lockContent } from '../coordination/locks.ts';
import { ImportFile, PackageImport } from '../entities/package-import.ts';
import { Submission } from '../entities/submission.ts';
import type { Orm } from '../orm.ts';
import { statements } from '../statements.ts';
import { audit, changeAudited } from './audit-trail.ts';
import { CHANGING_DAYS } from './statistics.ts';

interface ExpiredImport {
  importId: number;
  storageKey: string;
}

/** Keys of stored files that have a record. The value says whether the file is still needed. */
export type Recorded = Map<string, boolean>;

/** Age limits of packages: packages uploaded before them may be removed. Imports that failed have their own. */
export interface Expiry {
  uploadedBefore: Date;
  failedBefore: Date;
}

/** Condition on the import `i`. */
const isExpired = ({ uploadedBefore, failedBefore }: Expiry) => sql`
  i.completed_at is not null and i.archive_removed_at is null
  and (i.uploaded_at < ${uploadedBefore} or (i.status = 'failed' and i.uploaded_at < ${failedBefore}))
  and not exists (select 1 from submission s where s.zip_import_id = i.id and s.status = 'regulator_inserting')`;

/** Condition on the attachment `a`: a product of the tenant refers to some version of it. */
const IS_REFERRED_TO = sql`exists (
    select 1 from attachment version join submission_attachment link on link.attachment_row_id = version.id
     where version.tenant = a.tenant and version.attachment_id = a.attachment_id offset 0)`;

/** Condition on the submitter file `u`. */
const IS_SPARE = sql`${IS_UNREFERRED_SUBMITTER}
  and exists (
    select 1 from submitter newer
     where newer.tenant = u.tenant and newer.submitter_id = u.submitter_id
       and (newer.zip_import_id, newer.id) > (u.zip_import_id, u.id))`;

/**
 * Condition on the import `i`: a product file of the package failed. The repaired file may refer to attachments that no
 * product refers to yet.
 */
const HAS_FAILED_FILES = sql`exists (
    select 1 from zip_import_file f
     where f.zip_import_id = i.id and f.kind = 'product' and f.outcome = 'failed' offset 0)`;

/**
 * Condition on the attachment `a` of the import `i`. A version of an attachment is needed
 * - until its import is over, and for a day after it was stored;
 * - until it was sent to the regulator with every submission that refers to it and can still be sent: a superseded
 *   submission never can.
 *
 * If a product refers to the attachment, or a product of its package may yet be repaired, the version is also needed
 * - as long as its package is kept.
 *
 * If a product refers to the attachment, the version is also needed
 * - while it is the newest of its tenant: later packages refer to it without sending it again. It is kept a day longer,
 *   for imports that looked it up just before a newer one was stored. A version of a package that is still being read
 *   does not count as newer: it is removed if the package turns out to be damaged.
 *
 * `offset 0` keeps PostgreSQL from reading whole tables once for many attachments: it looks each of them up by an index.
 */
const isNeeded = (uploadedBefore: Date) => sql`
  i.completed_at is null or a.created_at > now() - interval '1 day'
  or exists (
    select 1 from submission_attachment link join submission s on s.id = link.submission_id
     where link.attachment_row_id = a.id and link.sent_at is null and s.status <> 'regulator_inserted'
       and not ${IS_SUPERSEDED} offset 0)
  or (i.uploaded_at >= ${uploadedBefore} and (${IS_REFERRED_TO} or ${HAS_FAILED_FILES}))
  or (${IS_REFERRED_TO} and not exists (
    select 1 from attachment newer join zip_import by on by.id = newer.zip_import_id and by.status <> 'extracting'
     where newer.tenant = a.tenant and newer.attachment_id = a.attachment_id
       and (newer.zip_import_id, newer.id) > (a.zip_import_id, a.id)
       and newer.created_at < now() - interval '1 day' offset 0))`;

export function createRetentionRepository(orm: Orm) {
  const db = statements(orm.em.fork());

  return {
    /** Expired imports that are over and still have their package, oldest first, after the id `after`. */
    async expiredImports(expiry: Expiry, after: number, limit: number): Promise<ExpiredImport[]> {
      return db.rows`
        select i.id as import_id, i.storage_key from zip_import i
         where ${isExpired(expiry)} and i.id > ${after} order by i.id limit ${limit}
      `;
    },

    /**
     * Removes the raw XML of an expired import and marks its package as removed, in one transaction. Does nothing if
     * the import was reopened after it was found. A concurrent reopening waits. Returns whether it was removed.
     */
    async removeExpired(importId: number, expiry: Expiry, actor: string): Promise<boolean> {
      const removing = async (em: EntityManager) => {
        const expired = await statements(em).row`
          select i.id from zip_import i where i.id = ${importId} and ${isExpired(expiry)} for update
        `;
        if (!expired) return false;
        await em.nativeUpdate(
          Submission,
          { packageImport: importId, rawXml: { $ne: null } },
          { rawXml: null },
        );
        await em.nativeUpdate(PackageImport, { id: importId }, { archiveRemovedAt: new Date() });
        await audit(em, { actor, action: 'import.archive_removed', importId });
        return true;
      };
      return orm.em.fork().transactional(removing);
    },

    /** Marks the package of an import that is over as removed. Idempotent. */
    async markRemoved(importId: number, actor: string): Promise<void> {
      const where = { id: importId, completedAt: { $ne: null }, archiveRemovedAt: null };
      const removed = { archiveRemovedAt: new Date() };
      const entry = { actor, action: 'import.archive_removed', importId };
      await changeAudited(orm, (em) => em.nativeUpdate(PackageImport, where, removed), entry);
    },

    /**
     * Imports whose package was removed, and that have notes of files which statistics no longer count, after the id
     * `after`.
     */
    async importsWithOldNotes(uploadedBefore: Date, after: number, limit: number): Promise<number[]> {
      const rows = await db.rows<{ id: number }>`
        select i.id from zip_import i
         where i.id > ${after} and i.archive_removed_at is not null
           and i.uploaded_at < least(${uploadedBefore}::timestamptz, now() - make_interval(days => ${CHANGING_DAYS + 1}))
           and (exists (select 1 from zip_import_file f where f.zip_import_id = i.id and f.entry_path <> '')
             or exists (select 1 from submitter u where u.zip_import_id = i.id and ${IS_SPARE}))
         order by i.id limit ${limit}
      `;
      return rows.map(({ id }) => id);
    },

    /**
     * Removes the notes of an import's files, and its submitter files that no product refers to and that are not their
     * tenant's newest. One note says so. Returns the number of removed rows.
     */
    async removeNotes(importId: number): Promise<number> {
      return orm.em.fork().transactional(async (em) => {
        const notes = await em.nativeDelete(ImportFile, { packageImport: importId });
        if (notes > 0) await em.insert(ImportFile, noteOfRemoval(importId));
        const submitters = await statements(em).run`
          delete from submitter u where u.zip_import_id = ${importId} and ${IS_SPARE}
        `;
        return notes + submitters;
      });
    },

    async recordedPackages(keys: readonly string[]): Promise<Recorded> {
      const rows = await db.rows<{ storageKey: string; isNeeded: boolean }>`
        select storage_key, archive_removed_at is null as is_needed from zip_import
         where storage_key = any(${keys}::text[])
      `;
      return new Map(rows.map(({ storageKey, isNeeded }) => [storageKey, isNeeded]));
    },

    recordedAttachments: (keys: readonly string[], uploadedBefore: Date) =>
      recordedAttachments(orm.em.fork(), keys, uploadedBefore),

    /**
     * Removes an attachment's content unless it is needed. Imports of the same content wait meanwhile. Returns whether
     * it was removed.
     */
    async removeAttachment(key: string, uploadedBefore: Date, remove: () => Promise<void>): Promise<boolean> {
      /** False if it is needed. */
      const unlessNeeded = (work: (em: EntityManager) => Promise<void>) =>
        orm.em.fork().transactional(async (em) => {
          await lockContent(em, key);
          const recorded = await recordedAttachments(em, [key], uploadedBefore);
          if (recorded.get(key)) return false;
          await work(em);
          return true;
        });
      // The records change first, so that nothing refers to missing content. A crash here leaves a file without a
      // record.
      return (await unlessNeeded((em) => forgetUnreferred(em, key))) && unlessNeeded(remove);
    },
  };
}

/** The note has the place of the one that counts unlisted files: the last, with an empty path. */
function noteOfRemoval(packageImport: number) {
  return {
    packageImport,
    entryIndex: BEHIND_ALL,
    entryPath: '',
    xmlFile: UNLISTED_FILES,
    kind: 'attachment' as const,
    outcome: 'failed' as const,
    reasons: [plainReason(NOTES_REMOVED)],
    productId: null,
  };
}

/**
 * Deletes the records of unreferenced content: otherwise later products would be linked to missing content. The first
 * import of each tenant no longer counts its bytes.
 */
async function forgetUnreferred(em: EntityManager, key: string): Promise<void> {
  await statements(em).run`
    with gone as (
      delete from attachment a where a.storage_key = ${key}
         and ${IS_UNREFERRED_ATTACHMENT}
      returning a.tenant, a.zip_import_id, a.size_bytes
    ), first as (select min(zip_import_id) as id, max(size_bytes) as bytes from gone group by tenant)
    update zip_import i set attachment_bytes = greatest(0, i.attachment_bytes - first.bytes)
      from first where i.id = first.id
  `;
}

/** A key is needed if some version of an attachment with it is. */
async function recordedAttachments(
  em: EntityManager,
  keys: readonly string[],
  uploadedBefore: Date,
): Promise<Recorded> {
  const rows = await statements(em).rows<{ storageKey: string; isNeeded: boolean }>`
    select a.storage_key, bool_or(${isNeeded(uploadedBefore)}) as is_needed
      from attachment a join zip_import i on i.id = a.zip_import_id
     where a.storage_key = any(${keys}::text[])
     group by a.storage_key
  `;
  return new Map(rows.map(({ storageKey, isNeeded }) => [storageKey, isNeeded]));
}
