/** Gauges of what somebody else knows, and the headers of a trace that are forwarded. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from '@prometheus-io/client';
import { pino } from 'pino';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { SessionState } from '../../src/domain/regulator.ts';
import { measureStorage } from '../../src/observability/gateway-metrics.ts';
import { startOpenTelemetry } from '../../src/observability/open-telemetry.ts';
import { createWorkerMetrics } from '../../src/observability/worker-metrics.ts';

/** Names of the gauges that show a value. */
async function shown(registry: Registry): Promise<string[]> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics
    .filter(({ type, values }) => `${type}` === 'gauge' && values.length > 0)
    .map(({ name }) => name);
}

describe('gauges of the session', () => {
  const SESSION_GAUGES = [
    'package_import_regulator_session_active',
    'package_import_regulator_session_remaining_seconds',
    'package_import_steps_waiting_for_session',
  ];

  it('read the session once', async () => {
    const registry = new Registry();
    const state = vi.fn(async (): Promise<SessionState> => ({ status: 'none', expiresAt: null }));
    createWorkerMetrics(registry, { state });
    expect(await shown(registry)).toEqual(SESSION_GAUGES);
    expect(state).toHaveBeenCalledTimes(1);
  });

  it('are absent while the database is away, and the other metrics are there', async () => {
    const registry = new Registry();
    const state = async (): Promise<SessionState> => {
      throw new Error('no database');
    };
    createWorkerMetrics(registry, { state });
    expect(await shown(registry)).toEqual([]);
    expect(await registry.metrics()).toContain('package_import_mails_total{outcome="sent"} 0');
  });

  it('are absent while the database is silent, and the other metrics do not wait for it', async () => {
    const registry = new Registry();
    createWorkerMetrics(registry, { state: () => new Promise(() => {}) });
    const scraped = registry.metrics();
    // Prometheus gives up after ten seconds.
    const text = await Promise.race([scraped, sleep(8_000, 'no answer')]);
    expect(text).toContain('package_import_mails_total{outcome="sent"} 0');
    expect(text).not.toContain('package_import_regulator_session_active{');
  });
});

describe('free bytes of the storage', () => {
  const free = 'package_import_storage_free_bytes';

  it.each([
    ['shown', async () => 0, true],
    ['absent where the storage does not tell', async () => null, false],
    ['absent where it cannot be asked', () => Promise.reject(new Error('no disk')), false],
  ])('are %s', async (_, freeBytes: () => Promise<number | null>, isShown) => {
    const registry = new Registry();
    measureStorage(registry, freeBytes, 1);
    expect((await shown(registry)).includes(free)).toBe(isShown);
  });
});

const tracing = startOpenTelemetry({ name: 'test', version: '1' });
afterAll(() => tracing.stop());

it('the regulator gets the trace of the request, and no other header of a client', async () => {
  const sent: object[] = [];
  const regulator = tracing.traceRegulator(async ({ headers }) => {
    sent.push(headers);
    return { status: 200, headers: new Headers(), text: '' };
  });
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const headers = {
    traceparent: `00-${trace}-b7ad6b7169203331-01`,
    tracestate: 'vendor=value',
    baggage: Array.from({ length: 1_000 }, (_, index) => `key${index}=value`).join(','),
  };
  const ctx = {
    path: '/x',
    method: 'GET',
    headers,
    state: { requestId: 'r', log: pino({ level: 'silent' }) },
  };
  const [traceRequest] = tracing.requests;
  await traceRequest?.(ctx as never, async () => {
    await regulator({ method: 'POST', url: 'http://127.0.0.1/session', headers: {} });
  });
  expect(sent).toEqual([{ traceparent: expect.stringContaining(trace) }]);
});
