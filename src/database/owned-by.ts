import { sql } from 'kysely';

/** Imports of one tenant, of all tenants of one client, or all if both are undefined. */
export interface OwnerFilter {
  tenant?: string | undefined;
  clientId?: string | undefined;
}

/**
 * Condition: the import belongs to the tenant or to the client, or all are meant.
 *
 * @param table name or alias of `zip_import` in the statement
 */
export function ownedBy(table: string, { tenant, clientId }: OwnerFilter) {
  if (tenant !== undefined) return sql<boolean>`${sql.ref(`${table}.tenant`)} = ${tenant}`;
  if (clientId !== undefined) return sql<boolean>`${sql.ref(`${table}.client_id`)} = ${clientId}`;
  return sql<boolean>`true`;
}
