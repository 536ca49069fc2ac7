/** The writes of a day of a million products, in the order and number of real ones: what a day leaves for VACUUM. */
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import type { Orm } from '../../src/database/orm.ts';
import { FREQUENT, PER_IMPORT } from './made-up-rows.ts';

const stepUpdates = INSERT_STEPS.map((step, index) => {
  const next = INSERT_STEPS[index + 1];
  const change = next ? `current_step = '${next}'` : `status = 'regulator_inserted', case_id = 'case-' || id`;
  return `update submission set ${step} = true, ${change}, updated_at = clock_timestamp() where zip_import_id = import; commit;`;
}).join('\n    ');

const audit = (action: string) =>
  `insert into audit_event (at, actor, action, import_id, submission_id)
      select now(), 'worker', '${action}', zip_import_id, id from submission where zip_import_id = import; commit;`;

/**
 * Imports one package after the other; each change of its products is a transaction, so that pages are pruned as usual.
 */
const IMPORTS = (imports: number) => `do $$ declare import bigint; begin
  for n in 1..${imports} loop
    insert into zip_import (uuid, client_id, tenant, file_name, storage_key, zip_file_path, size_bytes, sha256, uploaded_at, status)
      values (gen_random_uuid(), '${FREQUENT}', '${FREQUENT}', 'a.zip', 'packages/day-' || n, '/a', 1, repeat('a', 64), now(), 'inserting')
      returning id into import;
    insert into submission (uuid, zip_import_id, entry_index, entry_path, xml_file, product_id, product_type_code, product_type,
        status, warnings, content_hash, section_hashes, sections, created_at, updated_at)
      select gen_random_uuid(), import, k, k || '.xml', k || '.xml', (10000 + n) || '-26-' || lpad(k::text, 5, '0'), 1, 'Other',
        'local', '[]', repeat('b', 64), '{}', '{}', now(), now() from generate_series(1, ${PER_IMPORT}) k; commit;
    ${audit('submission.local')}
    insert into queue_result (submission_id, zip_import_id, status, message, job_id, created_at)
      select id, import, 202, 'queued', gen_random_uuid(), now() from submission where zip_import_id = import;
    update submission set status = 'regulator_inserting', job_id = gen_random_uuid(), updated_at = clock_timestamp()
      where zip_import_id = import; commit;
    ${audit('submission.regulator_inserting')}
    update submission set current_step = '${INSERT_STEPS[0]}' where zip_import_id = import; commit;
    ${stepUpdates}
    ${audit('submission.regulator_inserted')}
    update zip_import set status = 'completed', completed_at = now() where id = import; commit;
  end loop;
end $$`;

/** @param products a multiple of those of an import */
export async function writeADay(orm: Orm, products: number): Promise<void> {
  await orm.em.fork().execute(IMPORTS(products / PER_IMPORT));
}
