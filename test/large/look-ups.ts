/** The statements that have to stay fast however many submissions there are, and rows to try them on. */

/** Submissions of one import. */
const PER_IMPORT = 200;
/** Every so many imports have a client of their own; the rest share one. */
const RARE = 50;

/** Statements that fill empty tables, in order: as fast as PostgreSQL can make rows up. */
export function madeUpRows(submissions: number): string[] {
  const imports = Math.ceil(submissions / PER_IMPORT);
  const json = `'{"init_validate":{}}'::jsonb`;
  return [
    `insert into zip_import (uuid, client_id, file_name, storage_key, zip_file_path, size_bytes, uploaded_at, status, completed_at)
     select gen_random_uuid(), case when n % ${RARE} = 1 then 'rare-' || n else 'frequent' end, 'a.zip', 'packages/' || n, '/a', 1,
            now(), 'completed', now() from generate_series(1, ${imports}) n`,
    `insert into submitter (client_id, submitter_id, zip_import_id, entry_path, details, created_at)
     select client_id, '10001', id, 's.xml', '{}', now() from zip_import`,
    `insert into submission (uuid, zip_import_id, entry_index, entry_path, xml_file, product_id, product_type_code, product_type,
       status, job_id, warnings, content_hash, section_hashes, sections, submitter_row_id, created_at, updated_at)
     select gen_random_uuid(), (n - 1) / ${PER_IMPORT} + 1, n % ${PER_IMPORT}, n || '.xml', n || '.xml',
            lpad((n % 100000)::text, 14, '0'), 1, 'Other', 'regulator_inserted', md5(n::text)::uuid, '[]', repeat('a', 64),
            ${json}, ${json}, (n - 1) / ${PER_IMPORT} + 1, now(), now() from generate_series(1, ${submissions}) n`,
    'analyze zip_import, submitter, submission',
  ];
}

/** Each finds a few rows among all. */
export const HOT_LOOK_UPS = {
  'the submission that a run works on': `select * from submission where job_id = md5('777')::uuid limit 1`,
  'who refers to a submitter': 'select 1 from submission where submitter_row_id = 3 limit 1',
  'a submitter that an import has brought is forgotten': `delete from submitter where zip_import_id = 2
     and not exists (select 1 from submission s where s.submitter_row_id = submitter.id)`,
  'the newest submission of products': `select distinct on (product_id) product_id, id from submission
     where product_id in ('00000000000777', '00000000000778') order by product_id, id desc`,
  'submissions of a frequent client, newest first': `select id from submission
     where zip_import_id in (select id from zip_import where client_id = 'frequent') order by id desc limit 51`,
  'submissions of an import, in archive order':
    'select id from submission where zip_import_id = 7 order by entry_index limit 200',
  'a further page of the report of an import': `select s.id, q.status from submission s
     left join queue_result q on q.submission_id = s.id
     where s.zip_import_id = 7 and (s.entry_index, s.id) > (100, 0) order by s.entry_index, s.id limit 200`,
  'submissions of a rare client, newest first': `select id from submission
     where zip_import_id in (select id from zip_import where client_id = 'rare-51') order by id desc limit 51`,
  'what is under way': `select id from submission where status = 'regulator_inserting' and updated_at < now() and id > 0 order by id limit 500`,
} as const;
