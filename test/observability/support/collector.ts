/** An OpenTelemetry collector: takes traces over OTLP/HTTP and keeps the spans. */
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';
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
interface Traces {
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

/** The part of the protocol that the tests read (opentelemetry/proto/trace/v1/trace.proto). */
const TracesData = protobuf
  .parse(`
    syntax = "proto3";
    message TracesData { repeated ResourceSpans resource_spans = 1; }
    message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
    message Resource { repeated KeyValue attributes = 1; }
    message ScopeSpans { repeated Span spans = 2; }
    message Span {
      bytes trace_id = 1;
      bytes span_id = 2;
      bytes parent_span_id = 4;
      string name = 5;
      repeated KeyValue attributes = 9;
      Status status = 15;
    }
    message Status { int32 code = 3; }
    message KeyValue { string key = 1; AnyValue value = 2; }
    message AnyValue { string string_value = 1; int64 int_value = 3; }
  `)
  .root.lookupType('TracesData');

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    if (request.url === '/v1/traces') spans.push(...spansOf(TracesData.decode(bytes) as unknown as Traces));
    response.writeHead(request.url === '/v1/traces' ? 200 : 404).end();
  });
  return { url: `http://127.0.0.1:${await listenLocally(server)}`, spans };
}

function spansOf({ resourceSpans }: Traces): CollectedSpan[] {
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
