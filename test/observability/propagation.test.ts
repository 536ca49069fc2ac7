/**
 * The service reads and forwards only `traceparent` of a client's trace: no baggage, no foreign state
 * (CVE-2026-54285).
 */
import { pino } from 'pino';
import { afterAll, expect, it } from 'vitest';
import { startOpenTelemetry } from '../../src/observability/open-telemetry.ts';

const tracing = startOpenTelemetry({ name: 'test', version: '1' });
afterAll(() => tracing.stop());

it('the regulator gets the trace of the request, and no other header of a client', async () => {
  const sent: Headers[] = [];
  const regulator = tracing.traceRegulator(async (_url, init) => {
    sent.push(new Headers(init?.headers));
    return new Response();
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
    await regulator('http://127.0.0.1/session', { method: 'POST' });
  });
  expect(sent[0]?.get('traceparent')).toContain(trace);
  expect([...(sent[0]?.keys() ?? [])]).toEqual(['traceparent']);
});
