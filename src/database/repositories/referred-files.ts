/** Repository of attachments and submitters. Each is stored once, for all products that refer to it. */

import type { Json } from '../../domain/product.ts';
import { lockContent } from '../coordination/locks.ts';
import { Attachment, SubmissionAttachment } from '../entities/attachment.ts';
import { ImportFile } from '../entities/import-file.ts';
import { Submitter } from '../entities/submitter.ts';
import { insertRows, ONCE_PER_PATH } from '../insert-rows.ts';
import type { Orm } from '../orm.ts';

export interface NewAttachment {
  clientId: string;
  attachmentId: string;
  entryPath: string;
  fileName: string;
  contentType: string;
  confidential: boolean;
  sizeBytes: number;
  sha256: string;
  storageKey: string;
}

export interface NewSubmitter {
  clientId: string;
  submitterId: string;
  entryPath: string;
  details: Json;
}

export function createReferredFileRepository(orm: Orm) {
  return {
    /** Paths of the handled attachment and submitter files of an import, and the number of unreadable ones. */
    async recorded(importId: number): Promise<{ paths: Set<string>; unreadable: number }> {
      const rows = await orm.em.fork().execute<{ entry_path: string; unreadable: boolean }[]>(
        `select entry_path, false as unreadable from attachment where zip_import_id = ?
         union all select entry_path, false from submitter where zip_import_id = ?
         union all select entry_path, true from zip_import_file where zip_import_id = ? and kind <> 'product'`,
        [importId, importId, importId],
      );
      return {
        paths: new Set(rows.map((row) => row.entry_path)),
        unreadable: rows.filter((row) => row.unreadable).length,
      };
    },

    /**
     * Records an attachment with its content.
     *
     * @param store stores missing content, and returns whether it did; until the record is written, retention does not
     *   remove it
     */
    async recordAttachment(
      importId: number,
      attachment: NewAttachment,
      store: () => Promise<boolean>,
    ): Promise<void> {
      const row = { ...attachment, packageImport: importId, createdAt: new Date() };
      await orm.em.fork().transactional(async (em) => {
        await lockContent(em, attachment.storageKey);
        const isNew = await store();
        await insertRows(em, Attachment, [row], ONCE_PER_PATH);
        if (isNew)
          await em.execute(`update zip_import set attachment_bytes = attachment_bytes + ? where id = ?`, [
            attachment.sizeBytes,
            importId,
          ]);
      });
    },

    async recordSubmitter(importId: number, submitter: NewSubmitter): Promise<void> {
      const row = { ...submitter, packageImport: importId };
      await insertRows(orm.em.fork(), Submitter, [row], ONCE_PER_PATH);
    },

    /** Records why an attachment or submitter file could not be read. */
    async recordUnreadable(
      importId: number,
      file: {
        kind: 'attachment' | 'submitter';
        entryIndex: number;
        entryPath: string;
        xmlFile: string;
        reason: string;
      },
    ): Promise<void> {
      const row = { ...file, packageImport: importId, outcome: 'failed' as const, productId: null };
      await insertRows(orm.em.fork(), ImportFile, [row], ONCE_PER_PATH);
    },

    /** The newest version of each attachment that a client has sent. Unknown ones are absent. */
    async latestAttachments(
      clientId: string,
      attachmentIds: string[],
    ): Promise<Map<string, { id: number; sha256: string }>> {
      if (attachmentIds.length === 0) return new Map();
      const rows = await orm.em.fork().execute<{ attachment_id: string; id: number; sha256: string }[]>(
        `select newest.* from jsonb_array_elements_text(?::jsonb) asked
          cross join lateral (
            select attachment_id, id, sha256 from attachment
             where client_id = ? and attachment_id = asked::uuid order by id desc limit 1) newest`,
        [JSON.stringify([...new Set(attachmentIds)]), clientId],
      );
      return new Map(rows.map(({ attachment_id, id, sha256 }) => [attachment_id, { id, sha256 }]));
    },

    /** The newest file of each submitter that a client has sent. Unknown ones are absent. */
    async latestSubmitters(
      clientId: string,
      submitterIds: string[],
    ): Promise<Map<string, { id: number; details: Json }>> {
      if (submitterIds.length === 0) return new Map();
      const rows = await orm.em.fork().execute<{ submitter_id: string; id: number; details: Json }[]>(
        `select newest.* from jsonb_array_elements_text(?::jsonb) asked
          cross join lateral (
            select submitter_id, id, details from submitter
             where client_id = ? and submitter_id = asked order by id desc limit 1) newest`,
        [JSON.stringify([...new Set(submitterIds)]), clientId],
      );
      return new Map(rows.map(({ submitter_id, id, details }) => [submitter_id, { id, details }]));
    },

    async recordSent(linkId: number): Promise<void> {
      await orm.em.fork().nativeUpdate(SubmissionAttachment, { id: linkId }, { sentAt: new Date() });
    },
  };
}
