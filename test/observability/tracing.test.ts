/** One trace from the HTTP request through workflows and activities to the regulator; and none when it is off. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startTracing } from '../../src/observability/tracing.ts';
import { sendRequest } from '../../src/regulator/send.ts';
import { loadWorkflowBundle } from '../../src/temporal/workflow-bundle.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId, packageOf } from '../support/product-xml.ts';
import { type Stack, startStack } from '../support/starters/stack.ts';
import { finished, upload } from '../support/upload.ts';
import { type CollectedSpan, type Collector, startCollector } from './support/collector.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const CLIENT_SPAN = 'b7ad6b7169203331';

const SERVICE = { name: 'test', version: '0' };
const isLoaded = () =>
  Object.keys(createRequire(import.meta.url).cache).some((path) => /@opentelemetry\/sdk-trace/.test(path));

describe('disabled tracing', () => {
  it.each<[string, NodeJS.ProcessEnv]>([
    ['nothing is set', {}],
    ['it is switched off', { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost' }],
    [
      'no exporter is wanted',
      { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost' },
    ],
  ])('loads nothing when %s', async (_when, env) => {
    const problems: string[] = [];
    const tracing = await startTracing(env, SERVICE, (reason) => problems.push(reason));
    expect(tracing.requests).toEqual([]);
    expect(tracing.activities).toEqual([]);
    expect(tracing.client).toEqual({});
    expect(tracing.traceRegulator(sendRequest)).toBe(sendRequest);
    expect(problems).toEqual([]);
    expect(isLoaded()).toBe(false);
  });

  it.each<[string, NodeJS.ProcessEnv]>([
    ['OTEL_TRACES_EXPORTER', { OTEL_TRACES_EXPORTER: 'zipkin' }],
    [
      'OTEL_EXPORTER_OTLP_PROTOCOL',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    ],
  ])('is reported when %s names an unknown exporter', async (variable, env) => {
    const problems: string[] = [];
    await startTracing(env, SERVICE, (reason) => problems.push(reason));
    expect(problems).toEqual([expect.stringContaining(variable)]);
    expect(isLoaded()).toBe(false);
  });
});

describe('a collector that is away', () => {
  it('does not delay a stop', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const tracing = await startTracing(process.env, SERVICE, () => {});
    const answer = { status: 200, headers: new Headers(), text: '' };
    const send = tracing.traceRegulator(async () => answer);
    expect(await send({ method: 'POST', url: 'http://regulator.example/cases', headers: {} })).toBe(answer);
    await tracing.stop();
  });
});

describe('an import', () => {
  let collector: Collector;
  let stack: Stack;
  const sent: string[] = [];
  /** The actual requests to the regulator. */
  const watch = (message: unknown) => {
    const { request } = message as { request: { origin: string; headers: string | string[] } };
    if (request.origin === stack.config.regulator.url) sent.push([request.headers].flat().join('\n'));
  };

  beforeAll(async () => {
    collector = await startCollector();
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
    vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '100');
    stack = await startStack();
    subscribe('undici:request:create', watch);
  });
  afterAll(() => void unsubscribe('undici:request:create', watch));

  const named = (name: string) => {
    const found = collector.spans.filter((span) => span.traceId === TRACE_ID && span.name === name);
    if (found.length === 0)
      throw new Error(`no span ${name} among ${collector.spans.map((one) => one.name)}`);
    return found;
  };
  const parentOf = ({ parentSpanId }: CollectedSpan) =>
    collector.spans.find((span) => span.traceId === TRACE_ID && span.spanId === parentSpanId);
  /** Names from a span to the root. */
  const lineOf = (span: CollectedSpan | undefined): string[] =>
    span ? [span.name, ...lineOf(parentOf(span))] : [];

  it('is one trace, from the client to the regulator', async () => {
    const [good, bad] = [newProductId(), newProductId()];
    stack.imports.reject(bad);
    const zip = await packageOf({ productId: good }, { productId: bad });
    const answer = await upload(stack, zip, {
      headers: { traceparent: `00-${TRACE_ID}-${CLIENT_SPAN}-01` },
    });
    expect(answer.status).toBe(200);
    await finished(stack, answer.body.data.id);
    expect(isLoaded()).toBe(true);
    // A span is sent when it has ended, and the one of the import ends last.
    await eventually(async () => collector.spans.some(({ name }) => name === 'RunWorkflow:package-import'));

    const [request] = named('POST /regulator/package-import');
    expect(request).toMatchObject({ parentSpanId: CLIENT_SPAN, service: 'package-import-gateway' });
    expect(request?.attributes['http.response.status_code']).toBe('200');
    const toTheRequest = [
      'RunWorkflow:package-import',
      'UpdateWithStartWorkflow:process-package',
      'POST /regulator/package-import',
    ];
    expect(lineOf(named('RunActivity:extractPackage')[0])).toEqual([
      'RunActivity:extractPackage',
      ...toTheRequest,
    ]);
    const calls = named('PUT /cases/{case_id}/steps/design');
    expect(calls).toHaveLength(2);
    for (const span of calls) {
      expect(span.service).toBe('package-import-worker');
      const { hostname, port } = new URL(stack.config.regulator.url);
      expect(span.attributes).toMatchObject({
        'http.request.method': 'PUT',
        'server.address': hostname,
        'server.port': port,
      });
      expect(lineOf(span)).toEqual([
        'PUT /cases/{case_id}/steps/design',
        'RunActivity:design',
        'RunWorkflow:regulator-insert',
        ...toTheRequest,
      ]);
    }
    expect(calls.map(({ attributes }) => attributes['http.response.status_code']).sort()).toEqual([
      '200',
      '422',
    ]);
    const runs = named('RunWorkflow:regulator-insert');
    expect(runs.map(({ status }) => status).sort()).toEqual([1, 2]);
    expect(new Set(runs.map(({ spanId }) => spanId)).size).toBe(2);

    // The header on the wire names the span of the call.
    const headers = sent.filter((text) => text.includes(TRACE_ID));
    for (const { spanId } of calls)
      expect(headers.some((text) => text.includes(`00-${TRACE_ID}-${spanId}-01`))).toBe(true);
  });

  it('has histories that replay, although they carry the trace', async () => {
    const [span] = named('RunWorkflow:package-import');
    const workflowId = span?.attributes.temporalWorkflowId ?? '';
    const history = await stack.temporal.workflow.getHandle(workflowId).fetchHistory();
    const headers = history.events?.map(
      (event) => event.activityTaskScheduledEventAttributes?.header?.fields?.['_tracer-data']?.data,
    );
    expect(
      headers?.some((data) =>
        Buffer.from(data ?? [])
          .toString()
          .includes(TRACE_ID),
      ),
    ).toBe(true);
    const workflowBundle = await loadWorkflowBundle(stack.config.cacheDir);
    const errors: unknown[] = [];
    for await (const { error } of Worker.runReplayHistories({ workflowBundle }, [{ workflowId, history }]))
      errors.push(error);
    expect(errors).toEqual([undefined]);
  });

  it('of a client that disables sampling leaves no trace', async () => {
    const unsampled = 'aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb';
    const zip = await packageOf({});
    const answer = await upload(stack, zip, {
      headers: { traceparent: `00-${unsampled}-${CLIENT_SPAN}-00` },
    });
    await finished(stack, answer.body.data.id);
    // A later span has arrived, so an earlier one would have, too.
    const later = 'ccccccccccccccccdddddddddddddddd';
    await fetch(`${stack.gatewayUrl}/nothing`, {
      headers: { traceparent: `00-${later}-${CLIENT_SPAN}-01` },
    });
    await eventually(async () => collector.spans.some(({ traceId }) => traceId === later));
    expect(collector.spans.filter(({ traceId }) => traceId === unsampled)).toEqual([]);
  });

  it('is traced without probes, scrapes and the schedule', async () => {
    await fetch(`${stack.gatewayUrl}/health/live`);
    await fetch(`${stack.healthUrl}/metrics`);
    await fetch(`${stack.healthUrl}/health/ready`);
    const names = new Set(collector.spans.map(({ name }) => name));
    expect([...names].filter((name) => /health|metrics|reconcile/.test(name))).toEqual([]);
  });
});
