-- A role for gateways and workers that can change rows and no schema. Migrations keep the role that owns the tables, here
-- package_import: its DATABASE_URL is for `npm run migrate` alone, and this one's for everything else.
--
-- To be run once by an administrator, connected to the service's database; running it again does no harm. Then:
--   alter role package_import_service password '…';

do $$ begin
  if not exists (select from pg_roles where rolname = 'package_import_service') then
    create role package_import_service login;
  end if;
end $$;

-- What is left behind by a process that has vanished ends by itself: its connection within a minute, a transaction of which
-- nothing is heard and a statement for which nobody waits any more. Settings of the role hold behind a pooler, too; the service
-- itself sets none, because a pooler would not keep them.
alter role package_import_service set tcp_keepalives_idle = '30s';
alter role package_import_service set tcp_keepalives_interval = '10s';
alter role package_import_service set tcp_keepalives_count = 3;
alter role package_import_service set tcp_user_timeout = '60s';
alter role package_import_service set idle_in_transaction_session_timeout = '5min';
alter role package_import_service set statement_timeout = '15min';

grant usage on schema public to package_import_service;

-- What there is, and what later migrations make.
grant select, insert, update, delete on all tables in schema public to package_import_service;
grant usage, select on all sequences in schema public to package_import_service;
alter default privileges for role package_import in schema public
  grant select, insert, update, delete on tables to package_import_service;
alter default privileges for role package_import in schema public
  grant usage, select on sequences to package_import_service;
