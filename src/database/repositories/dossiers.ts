/** Reads the content of a product's dossier in bounded pages and pieces: it is written while its client takes it. */
import { sql } from 'kysely';
import type { QueueStatus } from '../../contract/statuses.ts';
import { ownedBy } from '../conditions.ts';
import type { AuditEventRow } from '../entities/audit-event.ts';
import type { AttachmentRow, SubmissionAttachmentRow } from '../entities/submission.ts';
import type { Orm } from '../orm.ts';
import { type Columns, statements } from '../statements.ts';

/** The submissions of a dossier: of one product, of one tenant or of all, from `oldestImport` to `newestImport`. */
export interface DossierScope {
  productId: string;
  tenant: string | undefined;
  oldestImport: number;
  newestImport: number;
  submissions: number;
  /** Upper bound of the files of all submissions. */
  files: number;
  /** Its oldest submission, if older ones are left out. */
  before: number | null;
}

export type DossierContent = Columns<AttachmentRow, 'sha256' | 'storageKey' | 'contentType'>;

/** Facts about a submission beside its own record. */
export interface DossierDetails {
  clientId: string;
  packageName: string;
  uploadedAt: Date;
  packageRemovedAt: Date | null;
  hasXml: boolean;
  queueStatus: QueueStatus | null;
  queueMessage: string | null;
  queuedAt: Date | null;
}

type FileColumn = 'fileName' | 'contentType' | 'sizeBytes' | 'sha256' | 'confidential';

/** A reference of a submission to an attachment. The columns of the file are null if no package has brought it. */
export type DossierReference = Columns<SubmissionAttachmentRow, 'attachmentId' | 'step' | 'sentAt'> & {
  [Name in FileColumn]: AttachmentRow[Name] | null;
};

type DossierEvent = Columns<AuditEventRow, 'id' | 'at' | 'actor' | 'action' | 'detail'>;

/** Files of a submission that are no attachments: XML, content, record. */
const OWN_FILES = 3;
const DOSSIER_PAGE = 50;
/** Bytes or characters of a long value that are read at a time. */
const PIECE = 256 * 1024;

const LONG_VALUES = {
  /** The product file as gzip (RFC 1952). */
  xml: sql<Uint8Array>`s.raw_xml`,
  /** JSON text of what the six steps send, and of the submitter's details, which go with one of them. */
  content: sql<string>`jsonb_build_object('sections', s.sections, 'submitter_details', (
    select details from submitter where id = s.submitter_row_id))::text`,
};

export function createDossierRepository(orm: Orm) {
  const db = statements(orm.em.fork());

  return {
    /**
     * The newest submissions of a product, older than `before`, that have at most `maxFiles` files together, and at
     * least one. They are in the order of their imports (decision §one-insert-per-product).
     *
     * @param tenant undefined for all
     * @returns null if there are none
     */
    async scope(
      {
        productId,
        tenant,
        before,
      }: { productId: string; tenant?: string | undefined; before?: number | undefined },
      maxFiles: number,
    ): Promise<DossierScope | null> {
      const place = sql`
        select zip_import_id from submission where id = ${before} and ${ownedBy('submission', { tenant })}`;
      const found = await db.row<Omit<DossierScope, 'productId' | 'tenant'>>`
        with newest as (
          select s.id, s.zip_import_id,
                 ${OWN_FILES}::int + (select count(*) from submission_attachment l where l.submission_id = s.id) as files
            from submission s
           where s.product_id = ${productId} and ${ownedBy('s', { tenant })}
             and ${before === undefined ? sql`true` : sql`s.zip_import_id < (${place})`}
           order by s.zip_import_id desc limit ${Math.ceil(maxFiles / OWN_FILES) + 1}
        ), counted as (
          select id, zip_import_id, sum(files) over by_age::int as files, row_number() over by_age as place
            from newest window by_age as (order by zip_import_id desc)
        ), taken as (select * from counted where files <= ${maxFiles} or place = 1)
        select min(zip_import_id) as oldest_import, max(zip_import_id) as newest_import,
               max(place) as submissions, max(files) as files,
               case when count(*) < (select count(*) from newest)
                    then (array_agg(id order by zip_import_id))[1] end as before
          from taken having count(*) > 0
      `;
      return found ? { productId, tenant, ...found } : null;
    },

    /** Contents of attachments, each once, ordered by digest, after the digest `after`. */
    async contents(scope: DossierScope, after: string): Promise<DossierContent[]> {
      return db.rows`
        select distinct on (a.sha256) a.sha256, a.storage_key, a.content_type
          from submission s
          join submission_attachment l on l.submission_id = s.id
          join attachment a on a.id = l.attachment_row_id
         where s.product_id = ${scope.productId} and s.zip_import_id between ${scope.oldestImport} and ${scope.newestImport}
           and ${ownedBy('s', { tenant: scope.tenant })} and a.sha256 > ${after}
         order by a.sha256, a.id limit ${DOSSIER_PAGE}
      `;
    },

    async details(submissionId: number): Promise<DossierDetails> {
      const found = await db.row<DossierDetails>`
        select i.client_id, i.file_name as package_name, i.uploaded_at, i.archive_removed_at as package_removed_at,
               s.raw_xml is not null as has_xml, q.status as queue_status, q.message as queue_message, q.created_at as queued_at
          from submission s
          join zip_import i on i.id = s.zip_import_id
          left join queue_result q on q.submission_id = s.id
         where s.id = ${submissionId}
      `;
      if (!found) throw new Error(`submission ${submissionId} was deleted during the dossier`);
      return found;
    },

    /** A product has a bounded number of references (`src/products/parse-product.ts`). */
    async references(submissionId: number): Promise<DossierReference[]> {
      return db.rows`
        select l.attachment_id, l.step, l.sent_at, a.file_name, a.content_type,
               a.size_bytes, a.sha256, a.confidential
          from submission_attachment l left join attachment a on a.id = l.attachment_row_id
         where l.submission_id = ${submissionId} order by l.id
      `;
    },

    /** A long value in pieces, each read when it is asked for. @throws if retention removes it meanwhile */
    async *pieces<Value extends keyof typeof LONG_VALUES>(submissionId: number, value: Value) {
      type Piece = Value extends 'xml' ? Uint8Array : string;
      for (let from = 1; ; from += PIECE) {
        const row = await db.row<{ piece: Piece | null }>`
          select substring(${LONG_VALUES[value]} from ${from}::int for ${PIECE}::int) as piece from submission s
           where s.id = ${submissionId}
        `;
        const piece = row?.piece;
        if (piece == null)
          throw new Error(`${value} of submission ${submissionId} was removed during the dossier`);
        yield piece;
        if (piece.length < PIECE) return;
      }
    },

    /**
     * Audit events of a submission and of its import as a whole, oldest first. The conditions are materialized: otherwise
     * PostgreSQL may walk through the whole trail in the order of its ids.
     *
     * @param reads whether to include those about reads
     */
    async *events(
      { submissionId, importId }: { submissionId: number; importId: number },
      reads: boolean,
    ): AsyncGenerator<DossierEvent> {
      for (let after = 0; ; ) {
        const rows = await db.rows<DossierEvent>`
          with own as materialized (
            select * from audit_event where submission_id = ${submissionId} and id > ${after}
          ), of_import as materialized (
            select * from audit_event where import_id = ${importId} and submission_id is null and id > ${after}
          )
          select id, at, actor, action, detail from (select * from own union all select * from of_import) e
           where ${reads} or action !~ '[._]read$'
           order by id limit ${DOSSIER_PAGE}
        `;
        yield* rows;
        const last = rows.at(-1);
        if (last === undefined || rows.length < DOSSIER_PAGE) return;
        after = last.id;
      }
    },
  };
}
