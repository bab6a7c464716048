import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Cluster } from '@crate/api';
import { isPlatformError } from '@crate/errors';
import { InMemoryTracer, newTraceId, OtlpCollector, runInSpan, type CollectedSpan } from '@crate/telemetry';
import { CratePlatform, eventually } from '@crate/testing';
import { CrateUser } from './crate-user.js';

const CLUSTERS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/{namespace}/clusters/{name}';
const CLIENT = 3;

let collector: OtlpCollector;
let platform: CratePlatform;
let user: CrateUser;
/** What the person at the client does; its `traceparent` goes along with each request. */
const client = new InMemoryTracer();
const creation = client.begin('crate apply');
const { traceId } = creation.place;

beforeAll(async () => {
  collector = await OtlpCollector.start();
  platform = await CratePlatform.start({
    settings: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      CRATE_LOG_LEVEL: 'debug',
    },
  });
  user = await CrateUser.of(platform);
  await runInSpan(creation, {}, () => user.applyQuickstart());
  await user.untilReady();
});
afterAll(async () => {
  await platform?.remove();
  await collector?.stop();
});

/** Spans of the trace by who sent them and how they are called. */
function find(service: string, name: string): readonly CollectedSpan[] {
  return collector.trace(traceId).filter((span) => span.service === service && span.name === name);
}

/** The names above a span, up to the one that continues the client's. */
function above(span: CollectedSpan, byId: ReadonlyMap<string, CollectedSpan>): readonly string[] {
  const parent = byId.get(span.parentSpanId ?? '');
  return parent ? [`${parent.service} ${parent.name}`, ...above(parent, byId)] : [];
}

/** Waits for a span that has these names right above it, in this order. */
async function untilFound(service: string, name: string, path: readonly string[]): Promise<CollectedSpan> {
  return eventually(
    () => {
      const byId = new Map(collector.trace(traceId).map((span) => [span.spanId, span]));
      const found = find(service, name).map((span) => ({ span, names: above(span, byId) }));
      const match = found.find(({ names }) => path.every((want, index) => names[index] === want));
      if (match) return match.span;
      const seen = new Set(found.map(({ names }) => names.join(' < ')));
      throw new Error(`${service} ${name} is below ${[...seen].join(' or ')}, not below ${path.join(' < ')}`);
    },
    { timeoutMs: 60_000 },
  );
}

describe('the creation of a cluster is one trace', () => {
  const request = `lifecycle PATCH ${CLUSTERS}`;
  const cluster = ['lifecycle reconcile cluster', request];

  it('from the request of the client', async () => {
    const span = await untilFound('lifecycle', `PATCH ${CLUSTERS}`, []);
    const ids = client.spans.map(({ place }) => place.parentId);
    expect(ids).toContain(span.parentSpanId);
    expect(span.attributes).toMatchObject({ 'http.response.status_code': 201, 'http.request.method': 'PATCH' });
  });

  it.each([
    {
      service: 'policy-mgmt',
      name: 'policy-mgmt/review',
      path: ['lifecycle policy-mgmt/review', 'lifecycle policy review', request],
    },
    { service: 'lifecycle', name: 'reconcile cluster', path: [request] },
  ])('through $name of $service', async ({ service, name, path }) => {
    await untilFound(service, name, path);
  });

  it('through the pass, Terraform and its resources in cloud-mgmt', async () => {
    const pass = await untilFound('cloud-mgmt', 'reconcile infrastructure', [
      'cloud-mgmt cloud-mgmt/resources.patch',
      'lifecycle cloud-mgmt/resources.patch',
      ...cluster,
    ]);
    expect(pass.attributes).toMatchObject({ 'crate.reconcile.trigger': 'write', 'crate.object.name': 'demo' });
    const run = ['cloud-mgmt terraform run', 'cloud-mgmt reconcile infrastructure'];
    // The sandbox's provider is attached, so that nothing has to be installed by `init`.
    for (const name of ['terraform plan', 'terraform show', 'terraform apply']) {
      await untilFound('cloud-mgmt', name, run);
    }
    const apply = await untilFound('cloud-mgmt', 'terraform apply', run);
    expect(apply.attributes).toMatchObject({ 'process.exit.code': 0 });
    await untilFound('cloud-mgmt', 'create aws_instance', ['cloud-mgmt terraform apply', ...run]);
    await untilFound('policy-mgmt', 'policy-mgmt/review', [
      'cloud-mgmt policy-mgmt/review',
      'cloud-mgmt policy review',
      ...run,
    ]);
  });

  it('through the pass, the engine and the target cluster in cluster-mgmt', async () => {
    const pass = 'cluster-mgmt reconcile kubernetes-cluster';
    await untilFound('cluster-mgmt', 'reconcile kubernetes-cluster', [
      'cluster-mgmt cluster-mgmt/resources.patch',
      'lifecycle cluster-mgmt/resources.patch',
      ...cluster,
    ]);
    const rke = await untilFound('cluster-mgmt', 'rke up', [pass]);
    expect(rke.events.length).toBeGreaterThan(0);
    const request = await untilFound('cluster-mgmt', 'GET', [pass]);
    expect(request.kind).toBe(CLIENT);
    expect(request.attributes).toMatchObject({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'server.address': expect.stringMatching(/^127\./),
    });
    await untilFound('cluster-mgmt', 'PATCH', ['cluster-mgmt reconcile add-on-installation']);
  });

  it('without a span whose parent is nowhere', async () => {
    await eventually(() => {
      const spans = collector.trace(traceId);
      const known = new Set([...spans.map(({ spanId }) => spanId), ...client.spans.map(({ place }) => place.parentId)]);
      expect(spans.filter(({ parentSpanId = '' }) => !known.has(parentSpanId))).toEqual([]);
    });
  });

  it('that tells no secret', async () => {
    const token = /token: (\S+)/.exec(await platform.kubeconfig())?.[1] ?? '';
    expect(token.length).toBeGreaterThan(20);
    const told = collector.requests.map(({ body }) => body.toString('utf8')).join('\n');
    expect(told).not.toContain(token);
    expect(told).not.toMatch(/PRIVATE KEY|client-key-data/);
  });
});

describe('the id of that trace is', () => {
  it('in the events of the cluster', async () => {
    await eventually(async () => {
      const { items } = await user.api.list('v1', 'Event', { namespace: 'team-a' });
      const traces = new Map(
        items.map((event) => [String(event['reason']), event.metadata.annotations?.['crate.dev/trace-id']]),
      );
      for (const reason of ['TerraformPlanned', 'TerraformApplied', 'KubernetesApplied', 'AddOnInstalled']) {
        expect([reason, traces.get(reason)]).toEqual([reason, traceId]);
      }
    });
  });

  it('in the audit rows of the person and of the services', async () => {
    const { items } = await user.api.list('lifecycle.crate.dev/v1alpha1', 'AuditEvent', { namespace: 'team-a' });
    const ours = items.filter((event) => event['traceId'] === traceId);
    const calls = ours.map(({ service, user: by, verb, object }) =>
      [service, by, verb, (object as { resource?: string }).resource].join(' '),
    );
    expect(calls).toEqual(
      expect.arrayContaining([
        'lifecycle admin patch clusters',
        'cloud-mgmt system:lifecycle patch infrastructures',
        'cluster-mgmt system:lifecycle patch kubernetesclusters',
      ]),
    );
  });

  it('at the head of the logs of runs', async () => {
    const log = await platform.crate('logs', 'cluster/demo', '-n', 'team-a');
    expect(log).toMatch(new RegExp(`=== terraform apply, run .*, trace ${traceId}`));
    expect(log).toMatch(new RegExp(`=== rke up, run .*, trace ${traceId}`));
  });

  it.each(['lifecycle', 'cloud-mgmt', 'cluster-mgmt'])('in the log of %s', async (service) => {
    const text = await readFile(join(platform.directory, 'logs', `${service}.log`), 'utf8');
    const lines = text.split('\n').filter((line) => line.includes(traceId));
    expect(lines.some((line) => line.includes('"msg":"Pass ended"') && line.includes('"spanId":"'))).toBe(true);
  });

  it('in an error, for whoever asks about it', async () => {
    const span = client.begin('crate apply');
    const refused = runInSpan(span, {}, () =>
      user.applyDemo('refused', (spec) => Object.assign(spec, { nodePools: 1 })),
    );
    const error: unknown = await refused.catch((thrown: unknown) => thrown);
    expect(isPlatformError(error) && error.details.traceId).toBe(span.place.traceId);
  });
});

describe('the trace of a client without headers', () => {
  it('is the one that it annotates the object with', async () => {
    const mine = newTraceId();
    const annotations = { 'crate.dev/traceparent': `00-${mine}-00f067aa0ba902b7-01` };
    const metadata = { name: 'demo', namespace: 'team-a', annotations };
    const { apiVersion, kind, spec } = (await user.find()) as Cluster;
    await user.apply({ apiVersion, kind, metadata, spec });
    const span = await eventually(
      () => {
        const pass = collector.trace(mine).find(({ name }) => name === 'reconcile cluster');
        if (!pass) throw new Error('No pass in this trace');
        return pass;
      },
      { timeoutMs: 60_000 },
    );
    expect(span.parentSpanId).toBe('00f067aa0ba902b7');
  });
});

describe('what stands', () => {
  it('is looked at in traces of its own', async () => {
    await eventually(
      () => {
        const passes = collector.spans.filter(({ name }) => name.startsWith('reconcile '));
        expect(passes.filter(({ attributes }) => attributes['crate.reconcile.trigger'] === 'resync')).not.toEqual([]);
      },
      { timeoutMs: 60_000 },
    );
  });
});
