/** Writes audit entries, always in the transaction of the recorded change. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Json } from '../domain/product.ts';
import { AuditEvent } from './entities/audit-event.ts';
import { insertRows } from './insert-rows.ts';

export interface AuditEntry {
  /** See src/domain/actors.ts. */
  actor: string;
  action: string;
  importId?: number | null;
  submissionId?: number | null;
  detail?: Json;
}

export async function audit(em: EntityManager, entries: AuditEntry[]): Promise<void> {
  const rows = entries.map(({ actor, action, importId, submissionId, detail }) => ({
    actor,
    action,
    importId: importId ?? null,
    submissionId: submissionId ?? null,
    detail: detail ?? null,
  }));
  await insertRows(em, AuditEvent, rows);
}
