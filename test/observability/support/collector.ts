/** An OpenTelemetry collector: takes traces over OTLP/HTTP and keeps the spans. */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { listenLocally } from '../../support/local-server.ts';

export interface CollectedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  /** OTLP: 2 is an error. */
  status: number;
  attributes: Record<string, string>;
}

export interface Collector {
  url: string;
  spans: CollectedSpan[];
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: unknown };
}
interface TracesData {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: {
        name: string;
        traceId: Uint8Array;
        spanId: Uint8Array;
        parentSpanId: Uint8Array | null;
        status?: { code?: number };
        attributes: Attribute[];
      }[];
    }[];
  }[];
}

/** The exporter's own description of the protocol; it has no types. */
const { TracesData } = (
  createRequire(import.meta.url)('@opentelemetry/otlp-transformer/build/src/generated/root.js') as {
    opentelemetry: { proto: { trace: { v1: { TracesData: { decode(bytes: Uint8Array): TracesData } } } } };
  }
).opentelemetry.proto.trace.v1;

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    if (request.url === '/v1/traces') spans.push(...spansOf(TracesData.decode(bytes)));
    response.writeHead(request.url === '/v1/traces' ? 200 : 404).end();
  });
  return { url: `http://127.0.0.1:${await listenLocally(server)}`, spans };
}

function spansOf({ resourceSpans }: TracesData): CollectedSpan[] {
  const hex = (bytes: Uint8Array | null) => Buffer.from(bytes ?? []).toString('hex');
  const record = (attributes: Attribute[]) =>
    Object.fromEntries(
      attributes.map(({ key, value }) => [key, value.stringValue || String(value.intValue ?? '')]),
    );
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map(({ name, traceId, spanId, parentSpanId, status, attributes }) => ({
        service: record(resource.attributes)['service.name'] ?? '',
        name,
        traceId: hex(traceId),
        spanId: hex(spanId),
        parentSpanId: hex(parentSpanId),
        status: status?.code ?? 0,
        attributes: record(attributes),
      })),
    ),
  );
}
