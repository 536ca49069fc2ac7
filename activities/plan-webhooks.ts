/** Plans the webhook deliveries about an import that is over (decision §signed-webhooks). */
import type { ImportCounts } from '../src/domain/package-import.ts';
import type { WebhookPayload } from '../src/domain/webhook.ts';
import type { ImportDependencies } from './dependencies.ts';

type PlanDependencies = Pick<ImportDependencies, 'webhooks'> & {
  database: Pick<ImportDependencies['database'], 'imports' | 'webhookDeliveries'>;
};

export function createPlanWebhooks({ database, webhooks }: PlanDependencies) {
  /**
   * Called after the end of the import is recorded. Idempotent.
   *
   * @returns uuids of the deliveries to start
   */
  return async function planWebhooks(
    importId: number,
    counts: ImportCounts & { inserted: number; insertFailed: number },
  ): Promise<string[]> {
    if (webhooks.rules.hosts.length === 0) return [];
    const record = await database.imports.find(importId);
    const { status, completedAt } = record ?? {};
    if (!completedAt || (status !== 'completed' && status !== 'failed' && status !== 'cancelled')) return [];
    const payload: WebhookPayload = {
      type: `package_import.${status}`,
      timestamp: completedAt.toISOString(),
      data: {
        import_id: importId,
        counts: {
          created: counts.created,
          skipped: counts.skipped,
          failed: counts.failed,
          queued: counts.queued,
          queue_failed: counts.queueFailed,
          inserted: counts.inserted,
          insert_failed: counts.insertFailed,
        },
        url: webhooks.importUrl(importId),
      },
    };
    return database.webhookDeliveries.plan(importId, payload);
  };
}
