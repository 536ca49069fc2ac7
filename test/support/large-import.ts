/** The largest possible import, created by SQL: 10,000 products with the maximum notes of a package. */
import { randomUUID } from 'node:crypto';
import { NOTE_BYTES_OF_A_PACKAGE, UNREADABLE_FILES_LISTED } from '../../src/domain/notes.ts';
import { DEMO_CLIENT } from '../../src/trial-parts/identity-service/identity-service.ts';

export const PRODUCTS = 10_000;

/** Hexadecimal digits that compress to no less than half, as an expression of `n`. */
const digits = (bytes: number) =>
  `(select string_agg(md5(n || '-' || k), '') from generate_series(1, ${Math.floor(bytes / 32)}) k)`;

const noteOf = (text: string) =>
  `jsonb_build_array(jsonb_build_object('path', null, 'line', null, 'check', null, 'text', ${text}))`;

/**
 * Creates an ended import. Every product is inserted and has warnings, and the summary is not yet sent.
 *
 * @param sql runs a statement
 * @param commentLength of the comment, which the answer repeats three times for each product
 * @returns its id
 */
export async function makeLargeImport(
  sql: <T>(statement: string) => Promise<T[]>,
  { commentLength = 100, warned = true } = {},
): Promise<number> {
  const comment = 'c'.repeat(commentLength);
  const json = `'{}'::jsonb`;
  const warnings = warned ? noteOf(digits(NOTE_BYTES_OF_A_PACKAGE / PRODUCTS)) : `'[]'::jsonb`;
  const [row] = await sql<{ id: number }>(
    `with i as (
       insert into zip_import (uuid, client_id, tenant, comment, file_name, storage_key, zip_file_path, size_bytes, sha256, uploaded_at, status,
         queued_at, completed_at)
       values ('${randomUUID()}', '${DEMO_CLIENT.clientId}', '${DEMO_CLIENT.clientId}', '${comment}', 'a.zip', 'packages/a', '/a', 1, repeat('a', 64), now(), 'completed',
         now(), now()) returning id),
     mail as (
       insert into notification (zip_import_id, email, status) select id, 'you@company.example', 'pending' from i),
     made as (
       insert into submission (uuid, zip_import_id, entry_index, entry_path, xml_file, product_id, product_type_code,
         product_type, comment, status, job_id, case_id, warnings, content_hash, section_hashes, sections, created_at, updated_at)
       select gen_random_uuid(), i.id, n, n || '.xml', n || '.xml', '12345-26-' || lpad(n::text, 5, '0'), 1,
         'Electronic cigarette - Disposable', '${comment}', 'regulator_inserted', gen_random_uuid(), 'CASE-' || n, ${warnings},
         repeat('a', 64), ${json}, ${json}, now(), now()
         from i, generate_series(1, ${PRODUCTS}) n returning id, zip_import_id, job_id),
     queued as (
       insert into queue_result (submission_id, zip_import_id, status, message, job_id, created_at)
       select id, zip_import_id, 202, 'Task regulator-insert queued', job_id, now() from made),
     files as (
       insert into zip_import_file (zip_import_id, entry_index, entry_path, xml_file, kind, outcome, reasons)
       select i.id, ${PRODUCTS} + n, 'attachments/' || n, n || '.xml', 'attachment', 'failed', ${noteOf(digits(1000))}
         from i, generate_series(1, ${UNREADABLE_FILES_LISTED}) n)
     select id from i`,
  );
  return row?.id ?? 0;
}
