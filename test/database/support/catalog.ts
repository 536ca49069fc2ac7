/** The demands of a schema on its writers, and the changes in a newer schema that break processes of an older release. */
import { runSql } from '../../support/servers.ts';

interface Column {
  type: string;
  required: boolean;
  hasDefault: boolean;
}

export interface Catalog {
  /** By `table.column`. */
  columns: Record<string, Column>;
  /** Definitions of constraints, unique indexes and triggers, by `table: name`. */
  rules: Record<string, string>;
}

const COLUMNS = `
  select c.relname || '.' || a.attname as key, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
         (a.atthasdef or a.attidentity <> '') as "hasDefault"
    from pg_attribute a join pg_class c on c.oid = a.attrelid
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped`;

const RULES = `
  select c.relname || ': ' || r.name as key, r.definition
    from pg_class c join (
      select conrelid as of, conname::text as name, pg_get_constraintdef(oid) as definition from pg_constraint where contype <> 'n'
      union all
      select i.indrelid, x.relname::text, pg_get_indexdef(i.indexrelid) from pg_index i join pg_class x on x.oid = i.indexrelid
       where i.indisunique and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid)
      union all
      select tgrelid, tgname::text, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    ) r on r.of = c.oid
   where c.relnamespace = 'public'::regnamespace`;

/** @param change statements whose effect on the schema is described; they are rolled back */
export async function catalogOf(url: string, change?: string): Promise<Catalog> {
  const read = `select jsonb_build_object(
    'columns', (select jsonb_object_agg(key, to_jsonb(c) - 'key') from (${COLUMNS}) c),
    'rules', (select jsonb_object_agg(key, definition) from (${RULES}) r)) as catalog`;
  if (change === undefined) return (await runSql<{ catalog: Catalog }>(url, read))[0]?.catalog as Catalog;
  // The result is returned in the error that rolls back the transaction.
  const marker = 'catalog: ';
  const told = await runSql(
    url,
    `do $body$ begin ${change}; raise exception '${marker}%', (${read}); end $body$`,
  ).catch((error: Error) => error.message);
  const text = String(told);
  const json = text.slice(text.indexOf(marker) + marker.length);
  if (!text.includes(marker)) throw new Error(text);
  return JSON.parse(json) as Catalog;
}

/**
 * The reasons, by subject, why processes that know `before` would fail or write wrong data on `after`. The rule is:
 * expand first, contract in a later release.
 */
export function incompatibilities(before: Catalog, after: Catalog): Record<string, string> {
  const found: Record<string, string> = {};
  const tables = new Set(Object.keys(before.columns).map(tableOf));
  for (const [key, old] of Object.entries(before.columns)) {
    const now = after.columns[key];
    if (!now) found[key] = 'is gone';
    else if (now.type !== old.type) found[key] = `was ${old.type} and is ${now.type}`;
    else if (now.required && !old.required) found[key] = 'is required and was not';
    else if (now.required && old.hasDefault && !now.hasDefault)
      found[key] = 'is required and has lost its default';
  }
  for (const [key, now] of Object.entries(after.columns))
    if (!before.columns[key] && tables.has(tableOf(key)) && now.required && !now.hasDefault)
      found[key] = 'is new, required and has no default';
  for (const [key, now] of Object.entries(after.rules))
    if (tables.has(key.split(':', 1)[0] ?? '') && before.rules[key] !== now)
      found[key] = before.rules[key] === undefined ? 'is a new rule' : 'is another rule';
  return found;
}

const tableOf = (key: string) => key.split('.', 1)[0] ?? '';
