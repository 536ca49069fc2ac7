-- A role for gateways and workers. It can change rows. It can change neither the schema nor entries of the audit trail. The role
-- package_import owns the tables: its DATABASE_URL is for `npm run migrate` alone, and this one's for everything else.
--
-- Run it once as an administrator, connected to the service's database, before the first migration or after any. A second run
-- has no effect. Then:
--   alter role package_import_service password '…';

do $$ begin
  if not exists (select from pg_roles where rolname = 'package_import_service') then
    create role package_import_service login;
  end if;
end $$;

-- Timeouts for processes that have disappeared: PostgreSQL ends a dead connection within a minute, an idle transaction after
-- five minutes, and a statement after 15 minutes. A transaction that stores or removes an attachment may be idle for an hour. Settings
-- of the role also apply behind a pooler. The service sets none for a connection, because a pooler would not keep them.
alter role package_import_service set tcp_keepalives_idle = '30s';
alter role package_import_service set tcp_keepalives_interval = '10s';
alter role package_import_service set tcp_keepalives_count = 3;
alter role package_import_service set tcp_user_timeout = '60s';
alter role package_import_service set idle_in_transaction_session_timeout = '5min';
alter role package_import_service set statement_timeout = '15min';

do $$ begin
  execute format('grant connect on database %I to package_import_service', current_database());
end $$;
grant usage on schema public to package_import_service;

-- Existing tables, and those of later migrations.
grant select, insert, update, delete on all tables in schema public to package_import_service;
grant usage, select on all sequences in schema public to package_import_service;
alter default privileges for role package_import in schema public
  grant select, insert, update, delete on tables to package_import_service;
alter default privileges for role package_import in schema public
  grant usage, select on sequences to package_import_service;

-- The audit trail grows only: of its entries, retention may change the actor, as far as a trigger allows. The list of migrations is
-- the owner's. The migration that creates the tables does the same.
do $$ begin
  if to_regclass('public.audit_event') is not null then
    revoke update, delete on audit_event from package_import_service;
    grant update (actor) on audit_event to package_import_service;
    revoke insert, update, delete on mikro_orm_migrations from package_import_service;
  end if;
end $$;
