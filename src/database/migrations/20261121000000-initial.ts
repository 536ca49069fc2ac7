import { Migration } from '@mikro-orm/migrations';

/**
 * The schema of release 1.0.0. Drafted by MikroORM from the entities, which cannot say the following:
 *
 * - `client_rate` is unlogged: it is written often, and worth nothing after a crash of the server.
 * - `submission` keeps large columns, which never change, apart from the narrow rest, which changes nine times while it is
 *   inserted. Free space on its pages lets such an update leave the indexes as they are.
 * - `regulator_rate_limit` has its one row from the start.
 */
export class Migration20261121000000_initial extends Migration {
  override name = 'Migration20261121000000_initial';

  override up(): void {
    this.addSql(`create table audit_event (
        id bigserial primary key,
        at timestamptz(3) not null default now(),
        actor text not null,
        action text not null,
        import_id bigint,
        submission_id bigint,
        detail jsonb
      )`);
    this.addSql(`create index audit_event_import_id_index on audit_event (import_id)`);
    this.addSql(`create index audit_event_submission_id_index on audit_event (submission_id)`);
    this.addSql(`create index audit_event_action_index on audit_event (action, id) where submission_id is null`);
    this.addSql(`create index audit_event_person_index on audit_event (at) where actor like 'person:%' and actor <> 'person:forgotten'`);
    this.addSql(`create or replace function audit_event_audit_event_append_only_fn() returns trigger as \$\$ begin raise exception 'audit_event is append-only'; end; \$\$ language plpgsql`);
    this.addSql(`create trigger audit_event_append_only BEFORE DELETE on audit_event for each STATEMENT execute function audit_event_audit_event_append_only_fn()`);
    this.addSql(`create or replace function audit_event_audit_event_forgets_people_fn() returns trigger as \$\$ begin if old.actor like 'person:%' and old.at < now() - interval '30 days' and to_jsonb(new) = to_jsonb(old) || '{"actor": "person:forgotten"}' then return new; end if; raise exception 'audit_event is append-only'; end; \$\$ language plpgsql`);
    this.addSql(`create trigger audit_event_forgets_people BEFORE UPDATE on audit_event for each ROW execute function audit_event_audit_event_forgets_people_fn()`);
    // MikroORM does not see triggers of this kind.
    this.addSql(`create trigger audit_event_no_truncate BEFORE TRUNCATE on audit_event for each STATEMENT execute function audit_event_audit_event_append_only_fn()`);

    this.addSql(`create unlogged table client_rate (
        key text primary key,
        points int not null default 0,
        expire bigint
      )`);

    this.addSql(`create table client_slot (
        kind varchar(32) not null,
        client_id varchar(255) not null,
        slot int not null,
        token uuid not null,
        reserved_bytes bigint not null default '0',
        expires_at timestamptz(3) not null,
        primary key (kind, client_id, slot)
      )`);
    this.addSql(`create index client_slot_token_index on client_slot (token)`);

    this.addSql(`create table inserting_pause (
        id int primary key default 1,
        reason text not null,
        actor text not null,
        since timestamptz(3) not null,
        constraint inserting_pause_check check (id = 1)
      )`);

    this.addSql(`create table zip_import (
        id bigserial primary key,
        uuid uuid not null,
        client_id varchar(255) not null,
        tenant text not null,
        submitters jsonb,
        comment text,
        file_name text not null,
        storage_key text not null,
        zip_file_path text not null,
        size_bytes bigint not null,
        sha256 varchar(64) not null,
        attachment_bytes bigint not null default '0',
        uploaded_at timestamptz(3) not null,
        status text not null,
        failure_reason text,
        failure_code text,
        cancelled_by text,
        cancel_requested_at timestamptz(3),
        read_at timestamptz(3),
        queued_at timestamptz(3),
        completed_at timestamptz(3),
        webhook_url text,
        archive_removed_at timestamptz(3),
        constraint zip_import_uuid_unique unique (uuid),
        constraint zip_import_failure_code_check check (failure_code in ('invalid_package', 'import_cancelled', 'import_failed', 'storage_full')),
        constraint zip_import_status_check check (status in ('extracting', 'inserting', 'completed', 'failed', 'cancelled'))
      )`);
    this.addSql(`create index zip_import_tenant_id_index on zip_import (tenant, id)`);
    this.addSql(`create index zip_import_client_id_id_index on zip_import (client_id, id)`);
    this.addSql(`create index zip_import_uploaded_at_id_index on zip_import (uploaded_at, id)`);
    this.addSql(`create index zip_import_tenant_uploaded_at_id_index on zip_import (tenant, uploaded_at, id)`);
    this.addSql(`create index zip_import_client_id_uploaded_at_id_index on zip_import (client_id, uploaded_at, id)`);
    this.addSql(`create index zip_import_status_uploaded_at_id_index on zip_import (status, uploaded_at, id)`);
    this.addSql(`create index zip_import_tenant_status_uploaded_at_id_index on zip_import (tenant, status, uploaded_at, id)`);
    this.addSql(`create index zip_import_client_id_status_uploaded_at_id_index on zip_import (client_id, status, uploaded_at, id)`);
    this.addSql(`create index zip_import_client_id_completed_at_index on zip_import (client_id, completed_at)`);
    this.addSql(`create index zip_import_open_index on zip_import (id) where completed_at is null`);
    this.addSql(`create index zip_import_removable_index on zip_import (id) where completed_at is not null and archive_removed_at is null`);
    this.addSql(`create index zip_import_kept_index on zip_import (tenant) include (client_id, size_bytes, attachment_bytes) where archive_removed_at is null`);

    this.addSql(`create table notification (
        zip_import_id bigint primary key,
        email text not null,
        status text not null,
        last_error text,
        sent_at timestamptz(3),
        constraint notification_status_check check (status in ('pending', 'sending', 'sent', 'error')),
        constraint notification_zip_import_id_foreign foreign key (zip_import_id) references zip_import (id) on update cascade on delete cascade
      )`);

    this.addSql(`create table import_retry (
        zip_import_id bigint primary key,
        uuid uuid not null,
        client_id varchar(255) not null,
        requested_by text not null,
        requested_at timestamptz(3) not null,
        ended_at timestamptz(3),
        constraint import_retry_uuid_unique unique (uuid),
        constraint import_retry_zip_import_id_foreign foreign key (zip_import_id) references zip_import (id) on update cascade on delete cascade
      )`);
    this.addSql(`create index import_retry_open_index on import_retry (requested_at) where ended_at is null`);

    this.addSql(`create table zip_import_file (
        id bigserial primary key,
        zip_import_id bigint not null,
        entry_index int not null,
        entry_path text not null,
        xml_file text not null,
        kind text not null default 'product',
        outcome text not null,
        reasons jsonb not null,
        product_id varchar(255),
        constraint zip_import_file_zip_import_id_entry_path_unique unique (zip_import_id, entry_path),
        constraint zip_import_file_kind_check check (kind in ('product', 'attachment', 'submitter', 'other')),
        constraint zip_import_file_outcome_check check (outcome in ('failed', 'skipped')),
        constraint zip_import_file_zip_import_id_foreign foreign key (zip_import_id) references zip_import (id) on delete cascade
      )`);
    this.addSql(`create index zip_import_file_zip_import_id_outcome_entry_index_index on zip_import_file (zip_import_id, outcome, entry_index)`);
    this.addSql(`create index zip_import_file_refused_index on zip_import_file (zip_import_id) where kind = 'product' and outcome = 'failed'`);

    this.addSql(`create table idempotency_key (
        tenant text not null,
        key varchar(255) not null,
        fingerprint varchar(64) not null,
        zip_import_id bigint not null,
        created_at timestamptz(3) not null,
        primary key (tenant, key),
        constraint idempotency_key_zip_import_id_foreign foreign key (zip_import_id) references zip_import (id) on delete cascade
      )`);
    this.addSql(`create index idempotency_key_zip_import_id_index on idempotency_key (zip_import_id)`);
    this.addSql(`create index idempotency_key_created_at_index on idempotency_key (created_at)`);

    this.addSql(`create table attachment (
        id bigserial primary key,
        tenant text not null,
        attachment_id uuid not null,
        zip_import_id bigint not null,
        entry_path text not null,
        file_name text not null,
        content_type text not null,
        confidential boolean not null,
        size_bytes bigint not null,
        sha256 varchar(64) not null,
        storage_key text not null,
        created_at timestamptz(3) not null,
        constraint attachment_zip_import_id_entry_path_unique unique (zip_import_id, entry_path),
        constraint attachment_zip_import_id_foreign foreign key (zip_import_id) references zip_import (id) on delete cascade
      )`);
    this.addSql(`create index attachment_tenant_attachment_id_zip_import_id_id_index on attachment (tenant, attachment_id, zip_import_id, id)`);
    this.addSql(`create index attachment_storage_key_index on attachment (storage_key)`);

    this.addSql(`create table regulator_rate_limit (
        id int primary key default 1,
        next_call_at timestamptz(6) not null,
        closed_until timestamptz(6) not null,
        constraint regulator_rate_limit_check check (id = 1)
      )`);
    this.addSql(`insert into regulator_rate_limit (next_call_at, closed_until) values (now(), now())`);

    this.addSql(`create table regulator_session (
        id int primary key default 1,
        login_id text,
        code_attempts int not null default 0,
        encrypted_token text,
        expires_at timestamptz(3),
        updated_at timestamptz(3) not null,
        constraint regulator_session_check check (id = 1)
      )`);

    this.addSql(`create table regulator_slot (
        slot int primary key,
        holder uuid not null,
        expires_at timestamptz(6) not null
      )`);

    this.addSql(`create table statistics_day (
        day date primary key,
        counted_at timestamptz(3) not null
      )`);

    this.addSql(`create table statistics_line (
        span text not null,
        begins_at timestamptz(0) not null,
        owner text not null,
        is_tenant boolean not null,
        client_id varchar(255) not null,
        imports jsonb not null,
        products jsonb not null,
        failures jsonb not null,
        insert_p50_seconds double precision,
        insert_p95_seconds double precision,
        received_bytes bigint not null,
        primary key (span, begins_at, owner),
        constraint statistics_line_span_check check (span in ('day', 'hour'))
      )`);
    this.addSql(`create index statistics_line_owner_span_begins_at_index on statistics_line (owner, span, begins_at)`);

    this.addSql(`create table submitter (
        id bigserial primary key,
        tenant text not null,
        submitter_id varchar(5) not null,
        zip_import_id bigint not null,
        entry_path text not null,
        details jsonb not null,
        constraint submitter_zip_import_id_entry_path_unique unique (zip_import_id, entry_path),
        constraint submitter_zip_import_id_foreign foreign key (zip_import_id) references zip_import (id) on delete cascade
      )`);
    this.addSql(`create index submitter_tenant_submitter_id_zip_import_id_id_index on submitter (tenant, submitter_id, zip_import_id, id)`);

    this.addSql(`create table submission (
        id bigserial primary key,
        uuid uuid not null,
        zip_import_id bigint not null,
        tenant text not null,
        entry_index int not null,
        entry_path text not null,
        xml_file text not null,
        product_id varchar(14) not null,
        product_type_code smallint not null,
        product_type text not null,
        submission_type_code smallint,
        comment text,
        status text not null,
        failure_reason jsonb,
        failure_code text,
        init_validate boolean not null default false,
        product_details boolean not null default false,
        product_presentation boolean not null default false,
        design boolean not null default false,
        ingredients boolean not null default false,
        emission boolean not null default false,
        current_step text,
        job_id uuid,
        case_id varchar(255),
        regulator_submission_date varchar(255),
        regulator_modified_date varchar(255),
        regulator_submission_type text,
        warnings jsonb not null,
        content_hash varchar(64) not null,
        section_hashes jsonb not null,
        sections jsonb not null,
        raw_xml bytea,
        submitter_row_id bigint,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        constraint submission_uuid_unique unique (uuid),
        constraint submission_zip_import_id_entry_path_unique unique (zip_import_id, entry_path),
        constraint submission_product_id_zip_import_id_unique unique (product_id, zip_import_id),
        constraint submission_status_check check (status in ('local', 'regulator_inserting', 'regulator_inserted', 'regulator_insert_failed')),
        constraint submission_current_step_check check (current_step in ('init_validate', 'product_details', 'product_presentation', 'design', 'ingredients', 'emission')),
        constraint submission_zip_import_id_foreign foreign key (zip_import_id) references zip_import (id) on delete cascade,
        constraint submission_submitter_row_id_foreign foreign key (submitter_row_id) references submitter (id) on delete no action
      ) with (toast_tuple_target = 256, fillfactor = 70)`);
    // It is gzip already.
    this.addSql(`alter table submission alter column raw_xml set storage external`);
    this.addSql(`create index submission_job_id_index on submission (job_id)`);
    this.addSql(`create index submission_submitter_row_id_index on submission (submitter_row_id)`);
    this.addSql(`create index submission_zip_import_id_entry_index_index on submission (zip_import_id, entry_index)`);
    this.addSql(`create index submission_tenant_id_index on submission (tenant, id)`);
    this.addSql(`create index submission_status_tenant_id_index on submission (status, tenant, id)`);
    this.addSql(`create index submission_case_id_index on submission (case_id) where case_id is not null`);
    this.addSql(`create index submission_not_inserted_index on submission (zip_import_id) where status in ('local', 'regulator_insert_failed')`);
    this.addSql(`create or replace function submission_submission_tenant_fn() returns trigger as \$\$ begin new.tenant := (select tenant from zip_import where id = new.zip_import_id); return new; end; \$\$ language plpgsql`);
    this.addSql(`create trigger submission_tenant BEFORE INSERT on submission for each ROW execute function submission_submission_tenant_fn()`);

    this.addSql(`create table submission_attachment (
        id bigserial primary key,
        submission_id bigint not null,
        attachment_id uuid not null,
        step text not null,
        attachment_row_id bigint,
        sent_at timestamptz(3),
        constraint submission_attachment_submission_id_step_attachment_id_unique unique (submission_id, step, attachment_id),
        constraint submission_attachment_step_check check (step in ('init_validate', 'product_details', 'product_presentation', 'design', 'ingredients', 'emission')),
        constraint submission_attachment_submission_id_foreign foreign key (submission_id) references submission (id) on delete cascade,
        constraint submission_attachment_attachment_row_id_foreign foreign key (attachment_row_id) references attachment (id) on delete no action
      )`);
    this.addSql(`create index submission_attachment_attachment_row_id_index on submission_attachment (attachment_row_id)`);

    this.addSql(`create table retry_result (
        submission_id bigint primary key,
        zip_import_id bigint not null,
        status smallint,
        message text,
        job_id uuid,
        job_state varchar(255),
        tried_at timestamptz(3),
        constraint retry_result_submission_id_foreign foreign key (submission_id) references submission (id) on update cascade on delete cascade,
        constraint retry_result_zip_import_id_foreign foreign key (zip_import_id) references zip_import (id) on delete cascade
      )`);
    this.addSql(`create index retry_result_zip_import_id_index on retry_result (zip_import_id)`);

    this.addSql(`create table queue_result (
        submission_id bigint primary key,
        zip_import_id bigint not null,
        status smallint not null,
        message text not null,
        job_id uuid,
        job_state varchar(255),
        created_at timestamptz(3) not null,
        constraint queue_result_submission_id_foreign foreign key (submission_id) references submission (id) on update cascade on delete cascade,
        constraint queue_result_zip_import_id_foreign foreign key (zip_import_id) references zip_import (id) on delete cascade
      )`);
    this.addSql(`create index queue_result_zip_import_id_index on queue_result (zip_import_id)`);

    this.addSql(`create table webhook (
        tenant text primary key,
        url text,
        encrypted_secret text not null,
        encrypted_previous_secret text,
        previous_secret_valid_until timestamptz(3),
        updated_at timestamptz(3) not null
      )`);

    this.addSql(`create table webhook_delivery (
        id bigserial primary key,
        uuid uuid not null,
        zip_import_id bigint,
        client_id text not null,
        tenant text not null,
        target text not null,
        url text not null,
        event text not null,
        occasion text not null,
        payload text not null,
        status text not null,
        attempts int not null default 0,
        last_attempt_at timestamptz(3),
        last_status int,
        last_body text,
        last_error text,
        created_at timestamptz(3) not null,
        delivered_at timestamptz(3),
        constraint webhook_delivery_uuid_unique unique (uuid),
        constraint webhook_delivery_event_occasion_tenant_target_unique unique (event, occasion, tenant, target),
        constraint webhook_delivery_target_check check (target in ('client', 'import')),
        constraint webhook_delivery_event_check check (event in ('package_import.completed', 'package_import.failed', 'package_import.cancelled', 'package_import.products_failed', 'regulator_session.ends_soon', 'regulator_session.ended', 'inserting.paused', 'inserting.resumed', 'webhook.test')),
        constraint webhook_delivery_status_check check (status in ('pending', 'delivered', 'failed')),
        constraint webhook_delivery_zip_import_id_foreign foreign key (zip_import_id) references zip_import (id) on delete cascade
      )`);
    this.addSql(`create index webhook_delivery_created_at_index on webhook_delivery (created_at)`);
    this.addSql(`create index webhook_delivery_tenant_id_index on webhook_delivery (tenant, id)`);
    this.addSql(`create index webhook_delivery_zip_import_id_index on webhook_delivery (zip_import_id)`);

    this.addSql(`create table worker_heartbeat (
        role varchar(32) not null,
        holder uuid not null,
        seen_at timestamptz(3) not null,
        primary key (role, holder)
      )`);

    // Default privileges give the role of the processes every right on new tables (deploy/database-roles.sql). It keeps
    // the right to read these two, and to add to the audit trail. Triggers decide when it may change an actor.
    this.addSql(`do \$\$
      declare
        holder regrole;
      begin
        for holder in
          select distinct grantee::regrole from pg_class, aclexplode(relacl)
          where oid in ('audit_event'::regclass, 'mikro_orm_migrations'::regclass) and grantee not in (0, relowner)
        loop
          execute format('revoke update, delete on audit_event from %s', holder);
          execute format('grant update (actor) on audit_event to %s', holder);
          execute format('revoke insert, update, delete on mikro_orm_migrations from %s', holder);
        end loop;
      end \$\$`);
  }
}
