/**
 * Sends webhook messages about events other than the end of an import (decision §signed-webhooks): failed products, the
 * end of the regulator session, and pauses of inserting. The reconciler looks for them twice a minute. An event that is
 * over by then is not announced. The reconciler also starts messages of imports whose workflow is missing.
 */
import type { SESSION_EVENTS } from '../src/contract/statuses.ts';
import type { WebhookPayload } from '../src/contract/types.ts';
import { forEachConcurrent } from './batching.ts';
import type { ImportDependencies } from './dependencies.ts';

/** Messages planned, and deliveries started, at a time. The next run of the reconciler handles more. */
const MAX_AT_ONCE = 500;

export function createAnnounceEvents({
  database,
  sessions,
  webhooks,
  webhookWorkflows,
}: Pick<ImportDependencies, 'database' | 'sessions' | 'webhooks' | 'webhookWorkflows'>) {
  const { webhookDeliveries, insertingPause } = database;

  /** Idempotent: an event has one message per receiver. */
  return async function announceEvents(): Promise<void> {
    if (webhooks.rules.hosts.length === 0) return;
    await announceFailures();
    await announceSession();
    await announcePause();
    await forEachConcurrent(await webhookDeliveries.untried(MAX_AT_ONCE), webhookWorkflows.start);
  };

  /** An import of 10,000 products has at most 14 messages: one whenever the number of failed products has doubled. */
  async function announceFailures(): Promise<void> {
    for (const { importId, failed, occasion } of await webhookDeliveries.failingImports(MAX_AT_ONCE)) {
      const payload: WebhookPayload = {
        type: 'package_import.products_failed',
        timestamp: new Date().toISOString(),
        data: { import_id: importId, insert_failed: failed, url: webhooks.importUrl(importId) },
      };
      await webhookDeliveries.plan(importId, payload, occasion);
    }
  }

  /** A logout sends no message, because a person requested it. */
  async function announceSession(): Promise<void> {
    const { status, expiresAt } = await sessions.state();
    if (status === 'expired' && expiresAt !== null) return announceEnd('regulator_session.ended', expiresAt);
    const end = await sessions.endsSoon();
    if (end !== null) await announceEnd('regulator_session.ends_soon', end);
  }

  async function announceEnd(type: (typeof SESSION_EVENTS)[number], end: Date): Promise<void> {
    const expires_at = end.toISOString();
    const payload = { type, timestamp: new Date().toISOString(), data: { expires_at } };
    await webhookDeliveries.planForAll(payload, expires_at);
  }

  async function announcePause(): Promise<void> {
    const pause = await insertingPause.current();
    const timestamp = (pause?.since ?? new Date()).toISOString();
    if (pause === null)
      await webhookDeliveries.planResumed({ type: 'inserting.resumed', timestamp, data: {} });
    else await webhookDeliveries.planForAll({ type: 'inserting.paused', timestamp, data: {} }, timestamp);
  }
}
