import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as a collector was sent it. */
export interface CollectedSpan {
  /** `service.name` of the process that sent it. */
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Absent for the first of a trace. */
  readonly parentSpanId?: string;
  /** As OTLP numbers them: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly events: readonly { readonly name: string; readonly attributes: Readonly<Record<string, unknown>> }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** 2 for an error. */
  readonly status: { readonly code?: number; readonly message?: string };
  readonly startMs: number;
  readonly endMs: number;
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface OtlpSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly attributes?: readonly OtlpAttribute[];
  readonly events?: readonly { readonly name: string; readonly attributes?: readonly OtlpAttribute[] }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: CollectedSpan['status'];
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** Stands in for an OpenTelemetry collector: takes what an exporter posts to `/v1/traces`, and reads it when it is JSON. */
export class OtlpCollector {
  readonly spans: CollectedSpan[] = [];
  /** Of every post, in order. */
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }[] = [];
  /** What posts are answered with; 0: nothing, ever. */
  status = 200;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<OtlpCollector> {
    const server = createServer();
    const collector = new OtlpCollector(server);
    server.on('request', (request, response) => {
      void collector.take(request).then(() => {
        if (collector.status > 0)
          response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return collector;
  }

  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** All spans of one trace that have arrived, earliest first. */
  trace(traceId: string): readonly CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId).sort((a, b) => a.startMs - b.startMs);
  }

  /** Idempotent. */
  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async take(request: IncomingMessage): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    this.requests.push({ path: request.url ?? '', headers: request.headers, body });
    if (this.status === 200 && request.headers['content-type'] === 'application/json') this.read(body);
  }

  private read(body: Buffer): void {
    for (const { resource, scopeSpans } of (JSON.parse(body.toString('utf8')) as OtlpRequest).resourceSpans) {
      const facts = valuesOf(resource.attributes);
      const spans = scopeSpans.flatMap((scope) => scope.spans);
      this.spans.push(...spans.map((span) => collected(span, facts)));
    }
  }
}

function collected(span: OtlpSpan, resource: Readonly<Record<string, unknown>>): CollectedSpan {
  const { name, traceId, spanId, parentSpanId, kind, links = [], status = {} } = span;
  return {
    service: String(resource['service.name']),
    ...{ name, traceId, spanId, kind, resource, links, status },
    ...(parentSpanId ? { parentSpanId } : {}),
    attributes: valuesOf(span.attributes),
    events: (span.events ?? []).map((event) => ({ name: event.name, attributes: valuesOf(event.attributes) })),
    startMs: Number(span.startTimeUnixNano) / 1e6,
    endMs: Number(span.endTimeUnixNano) / 1e6,
  };
}

/** OTLP names the type of each value; whole numbers may be texts. */
function valuesOf(attributes: readonly OtlpAttribute[] = []): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      'intValue' in value ? Number(value['intValue']) : Object.values(value)[0],
    ]),
  );
}
