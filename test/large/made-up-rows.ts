/**
 * Rows to try statements on, as many as one likes: submissions of imports of a few kinds of clients, with all that
 * belongs to them, by COPY. Nothing in them is like a real product but how much of everything there is.
 */
import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PostgreSqlConnection } from '@mikro-orm/postgresql';
import { from as copyFrom } from 'pg-copy-streams';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import type { Orm } from '../../src/database/orm.ts';

/** Submissions of one import. */
export const PER_IMPORT = 200;
/** Every so many imports have a client of their own; most of the rest share one. */
const RARE = 50;
/** Products that come again and again. */
const PRODUCTS = 100_000;
/** Every so many submissions have failed, or refer to an attachment. */
const FAILED = 997;
const WITH_ATTACHMENT = 10;
const LINES_AT_ONCE = 500;
/** The uploads are spread over so many days, the last one is now. */
export const DAYS = 365;

export const FREQUENT = 'frequent';
/** Has sent nothing since the first hundredth of all. */
export const SILENT = 'silent';
export const rareClient = (importId: number) => `rare-${importId}`;
export const productIdOf = (n: number) => `99962-26-${String(n % PRODUCTS).padStart(5, '0')}`;
export const jobIdOf = (n: number) => uuidOf(`job ${n}`);
export const caseIdOf = (n: number) => `case-${n}`;
export const attachmentIdOf = (n: number) => uuidOf(`attachment ${n % PRODUCTS}`);

/** Identifiers of the generated rows, for queries. */
export interface MadeUp {
  submissions: number;
  imports: number;
  /** An import in the middle of which some products are being inserted: the last one. */
  openImport: number;
}

/** Fills the empty tables of a migrated database. */
export async function makeUpRows(orm: Orm, submissions: number): Promise<MadeUp> {
  const imports = Math.ceil(submissions / PER_IMPORT);
  const importOf = (n: number) => Math.ceil(n / PER_IMPORT);
  const clientOf = (importId: number) => {
    if (importId % RARE === 1) return rareClient(importId);
    return importId <= Math.ceil(imports / 100) ? SILENT : FREQUENT;
  };
  const statusOf = (n: number) => {
    if (importOf(n) === imports) return n % 2 === 0 ? 'regulator_inserting' : 'local';
    return n % FAILED === 0 ? 'regulator_insert_failed' : 'regulator_inserted';
  };
  const now = Date.now();
  /** ISO 8601. */
  const uploadedAt = (importId: number) =>
    new Date(now - ((imports - importId) * DAYS * 86_400_000) / imports).toISOString();
  const json = JSON.stringify(Object.fromEntries(INSERT_STEPS.map((step) => [step, {}])));
  const hash = 'a'.repeat(64);

  const indexes = await dropIndexes(orm);
  await copy(
    orm,
    'zip_import (uuid, client_id, tenant, file_name, storage_key, zip_file_path, size_bytes, sha256, uploaded_at, status, completed_at)',
    imports,
    (n) => {
      const isOpen = n === imports;
      return [
        randomUUID(),
        clientOf(n),
        clientOf(n),
        'a.zip',
        `packages/${n}`,
        '/a',
        1,
        hash,
        uploadedAt(n),
        isOpen ? 'inserting' : 'completed',
        isOpen ? null : uploadedAt(n),
      ];
    },
  );
  await copy(orm, 'submitter (tenant, submitter_id, zip_import_id, entry_path, details)', imports, (n) => [
    clientOf(n),
    '10001',
    n,
    's.xml',
    '{}',
  ]);
  await copy(
    orm,
    'attachment (tenant, attachment_id, zip_import_id, entry_path, file_name, content_type, confidential, size_bytes, sha256, storage_key, created_at)',
    Math.ceil(submissions / WITH_ATTACHMENT),
    (k) => {
      const n = k * WITH_ATTACHMENT;
      const importId = Math.min(importOf(n), imports);
      return [
        clientOf(importId),
        attachmentIdOf(n),
        importId,
        `${n}.xml`,
        'a.pdf',
        'application/pdf',
        false,
        1,
        hash,
        `attachments/${n % PRODUCTS}`,
        uploadedAt(importId),
      ];
    },
  );
  await copy(
    orm,
    'submission (uuid, zip_import_id, tenant, entry_index, entry_path, xml_file, product_id, product_type_code, product_type, status, job_id, case_id, warnings, content_hash, section_hashes, sections, submitter_row_id, created_at, updated_at)',
    submissions,
    (n) => [
      randomUUID(),
      importOf(n),
      clientOf(importOf(n)),
      n % PER_IMPORT,
      `${n}.xml`,
      `${n}.xml`,
      productIdOf(n),
      1,
      'Other',
      statusOf(n),
      statusOf(n) === 'local' ? null : jobIdOf(n),
      statusOf(n) === 'regulator_inserted' ? caseIdOf(n) : null,
      '[]',
      hash,
      '{}',
      json,
      importOf(n),
      uploadedAt(importOf(n)),
      uploadedAt(importOf(n)),
    ],
  );
  await copy(
    orm,
    'queue_result (submission_id, zip_import_id, status, message, job_id, created_at)',
    submissions - PER_IMPORT,
    (n) => [n, importOf(n), 202, 'queued', jobIdOf(n), uploadedAt(importOf(n))],
  );
  await copy(
    orm,
    'submission_attachment (submission_id, attachment_id, step, attachment_row_id, sent_at)',
    Math.floor(submissions / WITH_ATTACHMENT),
    (k) => {
      const n = k * WITH_ATTACHMENT;
      return [
        n,
        attachmentIdOf(n),
        'design',
        k,
        statusOf(n) === 'regulator_inserted' ? uploadedAt(importOf(n)) : null,
      ];
    },
  );
  // The end of each insert: a real one has some more entries.
  await copy(orm, 'audit_event (at, actor, action, import_id, submission_id)', submissions, (n) => [
    uploadedAt(importOf(n)),
    'worker',
    'submission.regulator_inserted',
    importOf(n),
    n,
  ]);
  for (const index of indexes) await orm.em.fork().execute(index);
  await orm.em.fork().execute('vacuum analyze');
  return { submissions, imports, openImport: imports };
}

/** All but those of constraints, which takes half of the time. Gives the statements that make them again. */
async function dropIndexes(orm: Orm): Promise<string[]> {
  const em = orm.em.fork();
  const indexes = await em.execute<{ name: string; definition: string }[]>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
      where indrelid::regclass::text in ('submission', 'queue_result', 'submission_attachment', 'attachment', 'audit_event') and not indisunique`,
  );
  for (const { name } of indexes) await em.execute(`drop index ${name}`);
  return indexes.map(({ definition }) => definition);
}

/** @param row of number n, from 1, in the order of the columns */
async function copy(orm: Orm, into: string, rows: number, row: (n: number) => unknown[]): Promise<void> {
  const pool = await (orm.em.getConnection() as PostgreSqlConnection).getNativeClient();
  const client = await pool.connect();
  try {
    // Without asking for every row whether what it refers to is there.
    await client.query('set session_replication_role = replica');
    await pipeline(
      Readable.from(linesOf(rows, row)),
      client.query(copyFrom(`copy ${into} from stdin`) as never),
    );
  } finally {
    client.release(true);
  }
}

function* linesOf(rows: number, row: (n: number) => unknown[]): Generator<string> {
  let lines: string[] = [];
  for (let n = 1; n <= rows; n += 1) {
    lines.push(
      row(n)
        .map((value) => (value === null ? '\\N' : String(value)))
        .join('\t'),
    );
    if (lines.length < LINES_AT_ONCE && n < rows) continue;
    yield `${lines.join('\n')}\n`;
    lines = [];
  }
}

/** The same UUID for the same name, of version 8 (RFC 9562 §5.8). */
function uuidOf(name: string): string {
  return createHash('md5')
    .update(name)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-8$3-8$4-');
}
