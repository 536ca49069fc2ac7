-- To be run on a database that was restored from a backup, before gateways and workers start (deploy/backup.md). Running it
-- again does no harm.
--
-- Temporal may still run what was begun after the backup. Its runs name records by their ids, which are not in the restored
-- database: none of them may be given to another record. A million is more than what is recorded between two backups.

do $$
declare
  ids record;
begin
  for ids in select schemaname, sequencename, coalesce(last_value, 0) as last from pg_sequences where schemaname = 'public' loop
    perform setval(format('%I.%I', ids.schemaname, ids.sequencename)::regclass, ids.last + 1000000);
  end loop;
end $$;
