import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SERVICES } from '@crate/auth';
import { parse } from 'yaml';
import { ROOT } from '../files/written-files.js';
import { whyNoHelm } from './program.js';
import { StagedChart, type RenderedObject } from './staged-chart.js';

interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly image: string;
  readonly volumeMounts: readonly { readonly mountPath: string; readonly readOnly?: boolean }[];
}
interface Secret {
  readonly secretName: string;
  readonly defaultMode: number;
}
interface PodSpec {
  readonly containers: readonly Container[];
  readonly terminationGracePeriodSeconds: number;
  readonly volumes: readonly { readonly name: string; readonly secret?: Secret }[];
  readonly securityContext: { readonly runAsUser: number; readonly runAsGroup: number };
}
interface Rule {
  readonly ports: readonly unknown[];
  readonly from?: readonly object[];
  readonly to?: readonly object[];
}

const reason = await whyNoHelm();
const suite = reason === undefined ? describe : describe.skip;
const EXTERNAL = { messaging: { url: 'tls://nats.example.com:4222' } };
const BUNDLED = { nats: { enabled: true }, postgresql: { enabled: true } };

suite(`the rendered chart${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  let chart: StagedChart;
  beforeAll(async () => {
    chart = await StagedChart.make();
  });
  afterAll(() => chart.remove());

  const podOf = (objects: readonly RenderedObject[], service: string): PodSpec => {
    const set = objects.find(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === `crate-${service}`);
    return (set?.['spec'] as { template: { spec: PodSpec } }).template.spec;
  };
  const specOf = <T>(objects: readonly RenderedObject[], kind: string, name: string): T =>
    objects.find((object) => object.kind === kind && object.metadata.name === name)?.['spec'] as T;

  it('runs every service that the call matrix knows, and nothing else', async () => {
    const objects = await chart.render(EXTERNAL);
    const sets = objects.filter(({ kind }) => kind === 'StatefulSet').map(({ metadata }) => metadata.name);
    expect(sets.sort()).toEqual(SERVICES.map((service) => `crate-${service}`).sort());
    expect(JSON.stringify(objects).toLowerCase()).not.toContain('sandbox');
  });

  it.each(SERVICES)('gives %s no secret as a variable, and nothing to write but its own', async (service) => {
    const pod = podOf(await chart.render(BUNDLED), service);
    const [container] = pod.containers;
    for (const { name, value } of container?.env ?? []) {
      expect(value).toEqual(expect.any(String));
      if (/PASSWORD|DATABASE_URL|SECRET|HEADERS/.test(name)) expect(name).toMatch(/_FILE$/);
    }
    const writable = container?.volumeMounts.filter(({ readOnly }) => !readOnly).map(({ mountPath }) => mountPath);
    const memory = service === 'cluster-mgmt' ? ['/dev/shm'] : [];
    expect(writable).toEqual(['/var/lib/crate', '/tmp', ...memory]);
    const modes = pod.volumes.flatMap(({ secret }) => secret?.defaultMode ?? []);
    // 0440, and 0444 of what is public: what libs/auth and libs/secrets take of files that are root's.
    expect(new Set(modes)).toEqual(new Set([0o440, 0o444]));
  });

  it.each(SERVICES)('ends %s by itself before it is killed, and Terraform in its time before that', async (service) => {
    const webhook = { policyMgmt: { webhook: { enabled: true, host: 'webhook.example.com' } } };
    const pod = podOf(await chart.render({ ...EXTERNAL, ...webhook }), service);
    const secondsOf = (wanted: string): number =>
      Number.parseInt(pod.containers[0]?.env.find(({ name }) => name === wanted)?.value ?? '0', 10);
    const stop = secondsOf('CRATE_STOP_MS');
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(stop);
    expect(stop).toBeGreaterThan(service === 'cloud-mgmt' ? 130 : 40);
    // Whoever is sent connections from outside takes them until proxies and load balancers have heard.
    expect(secondsOf('CRATE_STOP_DELAY_MS')).toBe(['lifecycle', 'policy-mgmt'].includes(service) ? 10 : 0);
  });

  it('lets what a service may take to stop be said', async () => {
    const values = { terminationGracePeriodSeconds: 300, env: { CRATE_LOG_LEVEL: 'debug' } };
    const [container] = podOf(await chart.render({ ...EXTERNAL, cloudMgmt: values }), 'cloud-mgmt').containers;
    expect(container?.env).toContainEqual({ name: 'CRATE_STOP_MS', value: '290s' });
  });

  it('reaches bundled NATS by the name and port that its policy lets in, with TLS', async () => {
    const objects = await chart.render(BUNDLED);
    const [container] = podOf(objects, 'lifecycle').containers;
    const url = container?.env.find(({ name }) => name === 'CRATE_NATS_URL')?.value;
    expect(url).toBe('tls://crate-nats.crate-system.svc:4222');
    const standIn = objects.find(({ metadata }) => metadata.name === 'crate-nats-stand-in')?.['data'];
    const told = JSON.parse((standIn as { 'values.json': string })['values.json']) as {
      config: { nats: unknown; cluster: { tls: unknown } };
    };
    expect(told.config.nats).toEqual({ tls: { enabled: true, secretName: 'crate-nats-tls' } });
    expect(told.config.cluster.tls).toEqual({
      ...{ enabled: true, secretName: 'crate-nats-routes-tls' },
      merge: { ca_file: '/etc/nats-certs/cluster/ca.crt', verify: true, timeout: 10 },
    });
  });

  it('lets no service reach another on the network: they meet at NATS', async () => {
    for (const values of [EXTERNAL, BUNDLED]) {
      const policies = (await chart.render(values)).filter(({ kind }) => kind === 'NetworkPolicy');
      const rules = policies.flatMap(({ spec, metadata }) => {
        const { ingress = [], egress = [] } = spec as { ingress?: readonly Rule[]; egress?: readonly Rule[] };
        return [...ingress, ...egress].map((rule) => ({ policy: metadata.name, rule }));
      });
      const peers = rules.flatMap(({ policy, rule }) =>
        [...(rule.from ?? []), ...(rule.to ?? [])].map((peer) => ({ policy, peer })),
      );
      const toServices = peers.filter(({ peer }) => JSON.stringify(peer).includes('app.kubernetes.io/name":"crate"'));
      expect(toServices.every(({ policy }) => policy === 'crate-nats' || policy === 'crate-postgres')).toBe(true);
      expect(rules.every(({ rule }) => rule.ports.length > 0)).toBe(true);
    }
  });

  it('lets cluster-mgmt alone out to machines, and policy-mgmt nowhere', async () => {
    const objects = await chart.render(EXTERNAL);
    const out = (name: string) =>
      specOf<{ egress?: readonly Rule[] } | undefined>(objects, 'NetworkPolicy', name)?.egress;
    expect(out('crate-cluster-mgmt')?.[0]?.ports).toEqual([
      { port: 22 },
      { port: 443 },
      { port: 6443 },
      { port: 9345 },
    ]);
    expect(out('crate-cloud-mgmt')?.[0]?.ports).toEqual([{ port: 443 }]);
    expect(out('crate-lifecycle')?.map(({ ports }) => ports)).toEqual([[{ port: 443 }, { port: 465 }, { port: 587 }]]);
    expect(out('crate-policy-mgmt')).toBeUndefined();
  });

  it('lets out to nodes and API servers in the same cluster unless networks are named, and never to the metadata service', async () => {
    const outOf = async (networkPolicies: object): Promise<readonly Rule[]> => {
      const objects = await chart.render({ ...EXTERNAL, components: { enabled: true }, networkPolicies });
      const [lifecycle, clusters] = ['crate-lifecycle', 'crate-cluster-mgmt'].map(
        (name) => specOf<{ egress: readonly Rule[] }>(objects, 'NetworkPolicy', name).egress.at(-1) as Rule,
      );
      return [lifecycle, clusters].filter((rule) => rule !== undefined);
    };
    // Cilium takes a block of addresses for what is outside of its cluster; without peers a rule is for all.
    expect((await outOf({})).map(({ to }) => to)).toEqual([undefined, undefined]);
    const named = { apiServers: ['192.0.2.1/32'], clusters: ['198.51.100.0/24', '0.0.0.0/0'] };
    const all = { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.169.254/32'] } };
    expect((await outOf(named)).map(({ to }) => to)).toEqual([
      [{ ipBlock: { cidr: '192.0.2.1/32' } }],
      [{ ipBlock: { cidr: '198.51.100.0/24' } }, all],
    ]);
    // It answers at port 80.
    const plain = { apiServerPorts: [80, 6443], clusterPorts: [22, 80] };
    expect((await outOf(plain)).map(({ ports, to }) => ({ ports, to }))).toEqual(
      Array.from({ length: 2 }, () => ({ ports: [{ port: 80 }], to: [all] })),
    );
  });

  it.each([
    {
      what: 'ports',
      networkPolicies: { notificationPorts: [], issuerPorts: [], apiServerPorts: [], clusterPorts: [] },
    },
    { what: 'networks', networkPolicies: { notifications: [], issuers: [], apiServers: [], clusters: [], clouds: [] } },
  ])('lets out to nobody where no $what are said', async ({ what, networkPolicies }) => {
    const lifecycle = { issuers: [{ name: 'corporate' }] };
    const values = { ...EXTERNAL, lifecycle, components: { enabled: true }, networkPolicies };
    const objects = await chart.render(values);
    const clouds = what === 'networks' ? ['crate-cloud-mgmt'] : [];
    for (const name of ['crate-lifecycle', 'crate-cluster-mgmt', ...clouds]) {
      const { policyTypes, egress } = specOf<Record<string, unknown>>(objects, 'NetworkPolicy', name);
      expect(policyTypes).toContain('Egress');
      expect(egress ?? []).toEqual([]);
    }
  });

  it('lets out to issuers and receivers in the same cluster, at the ports that are said, unless networks are named', async () => {
    const lifecycle = { issuers: [{ name: 'corporate' }] };
    const outOf = async (networkPolicies: object): Promise<readonly Rule[]> => {
      const objects = await chart.render({ ...EXTERNAL, lifecycle, networkPolicies });
      return specOf<{ egress: readonly Rule[] }>(objects, 'NetworkPolicy', 'crate-lifecycle').egress;
    };
    const told = { ports: [{ port: 443 }, { port: 465 }, { port: 587 }] };
    expect(await outOf({ issuerPorts: [8443] })).toEqual([told, { ports: [{ port: 8443 }] }]);
    const block = { to: [{ ipBlock: { cidr: '192.0.2.0/24' } }] };
    const named = { issuers: ['192.0.2.0/24'], notifications: ['192.0.2.0/24'] };
    expect(await outOf(named)).toEqual([
      { ...told, ...block },
      { ports: [{ port: 443 }], ...block },
    ]);
  });

  const metadata = { ports: [{ port: 80 }], to: [{ ipBlock: { cidr: '169.254.169.254/32' } }] };
  const CRATE_MARKETPLACE_ROLE_ARN = 'arn:aws:iam::123456789012:role/meter';

  it.each([
    {
      what: 'the index of releases',
      env: { CRATE_RELEASES_INDEX: 'https://releases.example.com/index.json' },
      also: [],
    },
    {
      what: 'AWS Marketplace, and to the role of its machine',
      env: { CRATE_MARKETPLACE_PRODUCT_CODE: 'abc' },
      also: [metadata],
    },
    {
      what: 'AWS Marketplace by a role of its own',
      env: { CRATE_MARKETPLACE_PRODUCT_CODE: 'abc', CRATE_MARKETPLACE_ROLE_ARN },
      also: [],
    },
  ])('lets lifecycle out to $what, wherever it notifies', async ({ env, also }) => {
    const outOf = async (values: object): Promise<readonly Rule[]> => {
      const networkPolicies = { notifications: [], releases: ['192.0.2.0/24'] };
      const objects = await chart.render({ ...EXTERNAL, lifecycle: { env }, networkPolicies, ...values });
      return specOf<{ egress?: readonly Rule[] }>(objects, 'NetworkPolicy', 'crate-lifecycle').egress ?? [];
    };
    const ports = [{ port: 443 }];
    expect(await outOf({})).toEqual([{ ports, to: [{ ipBlock: { cidr: '192.0.2.0/24' } }] }, ...also]);
    expect(await outOf({ networkPolicies: { notifications: [] } })).toEqual([{ ports }, ...also]);
    expect(await outOf({ lifecycle: {} })).toEqual([]);
    expect(await outOf({ networkPolicies: { notifications: [], releases: [] } })).toEqual(also);
  });

  it.each([
    { name: 'the value', policyMgmt: { packArtifacts: ['registry.example.com/policies/bank:1.2'] } },
    { name: 'the setting', policyMgmt: { env: { CRATE_PACKS_ARTIFACTS: 'registry.example.com/policies/bank:1.2' } } },
  ])('lets policy-mgmt out to the registry of packs that $name names, and else nowhere', async ({ policyMgmt }) => {
    const outOf = async (values: object): Promise<readonly Rule[] | undefined> => {
      const objects = await chart.render({ ...EXTERNAL, policyMgmt: values });
      return specOf<{ egress?: readonly Rule[] } | undefined>(objects, 'NetworkPolicy', 'crate-policy-mgmt')?.egress;
    };
    expect(await outOf(policyMgmt)).toMatchObject([{ ports: [{ port: 443 }] }]);
    expect(await outOf({ ...policyMgmt, webhook: { enabled: true } })).toMatchObject([{ ports: [{ port: 443 }] }]);
    expect(await outOf({ webhook: { enabled: true } })).toBeUndefined();
  });

  it.each([
    { what: 'its URL', messaging: { url: 'tls://nats.example.com:14222' }, ports: [14_222] },
    { what: 'no URL', messaging: { url: 'nats://nats.example.com' }, ports: [4222] },
    {
      what: 'each of several',
      messaging: { url: 'tls://a:b@[2001:db8::1]:4333, tls://c,tls://d:4333' },
      ports: [4333, 4222],
    },
    { what: 'the value', messaging: { url: 'tls://nats.example.com:14222', port: 4222 }, ports: [4222] },
  ])('lets services out to NATS at the port that $what names', async ({ messaging, ports }) => {
    const { egress } = specOf<{ egress: readonly Rule[] }>(
      await chart.render({ messaging }),
      'NetworkPolicy',
      'crate-all',
    );
    expect(egress.slice(2)).toEqual([{ ports: ports.map((port) => ({ port })) }]);
  });

  it.each([
    { endpoint: 'https://otlp.example.com', rule: { ports: [{ port: 443 }] } },
    { endpoint: 'http://collector.monitoring.svc:4318/otlp', rule: { ports: [{ port: 4318 }] } },
    // The metadata service answers at this one.
    {
      endpoint: 'http://collector.monitoring.svc',
      rule: {
        ports: [{ port: 80 }],
        to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.169.254/32'] } }],
      },
    },
    {
      endpoint: 'http://collector.monitoring.svc',
      networkPolicies: { telemetryPort: 4318, telemetry: [{ podSelector: {} }] },
      rule: { ports: [{ port: 4318 }], to: [{ podSelector: {} }] },
    },
  ])('lets traces out to $endpoint', async ({ endpoint, networkPolicies = {}, rule }) => {
    const objects = await chart.render({ ...EXTERNAL, tracing: { endpoint }, networkPolicies });
    const { egress } = specOf<{ egress: readonly Rule[] }>(objects, 'NetworkPolicy', 'crate-all');
    expect(egress.at(-1)).toEqual(rule);
  });

  it('lets out to issuers and registries of packs at the ports that their addresses name, too', async () => {
    const issuers = ['https://sso.example.com:8443/realms/main', 'https://login.example.com'];
    const lifecycle = { issuers: issuers.map((issuer, index) => ({ name: `i${index}`, issuer })) };
    const artifacts = ['oci://harbor.example.com:8443/policies/bank:1.2', `ghcr.io/a/b@sha256:${'0'.repeat(64)}`];
    const policyMgmt = { packArtifacts: artifacts };
    const outOf = async (name: string, values: object): Promise<Rule | undefined> => {
      const objects = await chart.render({ ...EXTERNAL, lifecycle, policyMgmt, ...values });
      return specOf<{ egress?: readonly Rule[] }>(objects, 'NetworkPolicy', name).egress?.at(-1);
    };
    const both = { ports: [{ port: 443 }, { port: 8443 }] };
    const setting = { policyMgmt: { env: { CRATE_PACKS_ARTIFACTS: artifacts.join(', ') } } };
    expect(await outOf('crate-lifecycle', {})).toEqual(both);
    expect(await outOf('crate-policy-mgmt', {})).toEqual(both);
    expect(await outOf('crate-policy-mgmt', setting)).toEqual(both);
    const networkPolicies = { packs: ['192.0.2.0/24'], packPorts: [5000, 8443] };
    expect(await outOf('crate-policy-mgmt', { networkPolicies })).toEqual({
      ports: [{ port: 5000 }, { port: 8443 }],
      to: [{ ipBlock: { cidr: '192.0.2.0/24' } }],
    });
    expect(await outOf('crate-policy-mgmt', { networkPolicies: { packs: [] } })).toBeUndefined();
  });

  it('tells who may scrape the metrics, where Prometheus is to be told of them', async () => {
    const note = 'networkPolicies.metrics is empty';
    const monitoring = { serviceMonitor: { enabled: true } };
    const metrics = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'observability' } } }];
    expect(await chart.notes(EXTERNAL)).not.toContain(note);
    expect(await chart.notes({ ...EXTERNAL, monitoring })).toContain(note);
    expect(await chart.notes({ ...EXTERNAL, monitoring, networkPolicies: { metrics } })).not.toContain(note);
    expect(await chart.notes({ ...EXTERNAL, monitoring, networkPolicies: { enabled: false } })).not.toContain(note);
  });

  it('gives nobody a token of the cluster, unless lifecycle is to install versions', async () => {
    const kinds = ['Role', 'RoleBinding'];
    const outside = await chart.render(EXTERNAL);
    expect(outside.filter(({ kind }) => kinds.includes(kind))).toEqual([]);
    expect(JSON.stringify(outside)).not.toMatch(/serviceAccountToken|"automountServiceAccountToken":true/);

    const within = await chart.render({ ...EXTERNAL, components: { enabled: true } });
    const [role] = within.filter(({ kind }) => kind === 'Role');
    expect(role?.['rules']).toEqual([
      {
        ...{ apiGroups: ['apps'], resources: ['statefulsets'], verbs: ['get', 'patch'] },
        resourceNames: expect.arrayContaining(SERVICES.map((service) => `crate-${service}`)) as unknown,
      },
      { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
    ]);
    const [binding] = within.filter(({ kind }) => kind === 'RoleBinding');
    expect(binding?.['subjects']).toEqual([
      { kind: 'ServiceAccount', name: 'crate-lifecycle', namespace: 'crate-system' },
    ]);
    for (const service of SERVICES) {
      const volumes = JSON.stringify(podOf(within, service).volumes);
      expect([service, volumes.includes('serviceAccountToken')]).toEqual([service, service === 'lifecycle']);
    }
    const { egress } = specOf<{ egress: readonly Rule[] }>(within, 'NetworkPolicy', 'crate-lifecycle');
    expect(egress.map(({ ports }) => ports)).toContainEqual([{ port: 443 }, { port: 6443 }]);
  });

  it('makes the roles and schemas that services expect', async () => {
    const cluster = specOf<{
      bootstrap: { initdb: { postInitApplicationSQL: readonly string[] } };
      managed: { roles: readonly { name: string; passwordSecret: { name: string } }[] };
    }>(await chart.render(BUNDLED), 'Cluster', 'crate-postgres');
    const roles = SERVICES.map((service) => service.replaceAll('-', '_'));
    expect(cluster.managed.roles.map(({ name }) => name).sort()).toEqual([...roles].sort());
    for (const role of roles) {
      const statements = [
        ...[`CREATE ROLE ${role} LOGIN`, `GRANT ${role} TO "crate"`],
        `CREATE SCHEMA ${role} AUTHORIZATION ${role}`,
      ];
      expect(cluster.bootstrap.initdb.postInitApplicationSQL).toEqual(expect.arrayContaining(statements));
    }
  });

  it.each(['recovery', 'pg_basebackup'])('states no second way to begin beside %s', async (way) => {
    const spec = { bootstrap: { [way]: { source: 'before' } }, externalClusters: [{ name: 'before' }] };
    const values = { ...BUNDLED, postgresql: { enabled: true, spec } };
    const cluster = specOf<{ bootstrap: object; managed: { roles: readonly object[] } }>(
      await chart.render(values),
      'Cluster',
      'crate-postgres',
    );
    expect(cluster.bootstrap).toEqual(spec.bootstrap);
    expect(cluster.managed.roles).toHaveLength(SERVICES.length);
  });

  it('has the operator of PostgreSQL look again at passwords that come from a store', async () => {
    const values = { ...BUNDLED, externalSecrets: { enabled: true, storeName: 'vault' } };
    const objects = (await chart.render(values)).filter(({ kind }) => kind === 'ExternalSecret');
    const reloaded = objects.filter(({ spec }) => JSON.stringify(spec).includes('"cnpg.io/reload":"true"'));
    expect(reloaded.map(({ metadata }) => metadata.name)).toEqual(
      [...SERVICES].sort().map((service) => `crate-${service}-postgres`),
    );
    // A template takes the place of the labels that the Secret would have had.
    for (const { spec, metadata } of reloaded)
      expect(spec).toMatchObject({ target: { template: { metadata: { labels: metadata.labels } } } });
  });

  it('takes rules, alerts and dashboards over as they are', async () => {
    const on = { serviceMonitor: { enabled: true }, prometheusRule: { enabled: true }, dashboards: { enabled: true } };
    const objects = await chart.render({ ...EXTERNAL, monitoring: on });
    const alerts = parse(await readFile(join(ROOT, 'deploy/prometheus/alerts/platform.yaml'), 'utf8')) as unknown;
    expect(specOf(objects, 'PrometheusRule', 'crate-alerts-platform')).toEqual(alerts);
    const board = await readFile(join(ROOT, 'deploy/grafana/dashboards/crate-fleet.json'), 'utf8');
    const found = objects.find(({ metadata }) => metadata.name === 'crate-dashboard-fleet')?.['data'];
    expect((found as Record<string, string>)['crate-fleet.json']?.trim()).toBe(board.trim());

    const linked = { ...on, prometheusRule: { enabled: true, runbooks: 'https://git.example.com/runbooks/' } };
    const rules = specOf(await chart.render({ ...EXTERNAL, monitoring: linked }), 'PrometheusRule', 'crate-alerts-slo');
    expect(JSON.stringify(rules)).toMatch(/"https:\/\/git.example.com\/runbooks\/Crate\w+\.md"/);
    expect(JSON.stringify(rules)).not.toContain('docs/runbooks/');
  });

  it('scrapes as the rules count on', async () => {
    const values = { ...EXTERNAL, monitoring: { serviceMonitor: { enabled: true } } };
    const monitor = specOf<{ endpoints: readonly object[] }>(await chart.render(values), 'ServiceMonitor', 'crate');
    expect(monitor.endpoints[0]).toMatchObject({
      honorLabels: true,
      relabelings: [{ targetLabel: 'job', replacement: 'crate' }, { targetLabel: 'service' }],
    });
  });

  it('is scaled by what its own installation has to do', async () => {
    const autoscaling = { kind: 'keda' };
    const objects = await chart.render({ ...EXTERNAL, lifecycle: { autoscaling }, cloudMgmt: { autoscaling } });
    const queries = objects
      .filter(({ kind }) => kind === 'ScaledObject')
      .map(({ spec }) => (spec as { triggers: [{ metadata: { query: string } }] }).triggers[0].metadata.query);
    expect(queries).toHaveLength(2);
    for (const query of queries) expect(query).toContain('{job="crate",namespace="crate-system",service="');
  });

  it('can be stopped for a restore, and started again, as the guide says', async () => {
    const guide = await readFile(join(ROOT, 'docs/install/helm.md'), 'utf8');
    const steps = [...guide.matchAll(/kubectl -n crate-system (?:annotate|scale) (\w+) -l (\S+)=(\S+)/g)];
    expect(steps.map(([, kind]) => kind)).toEqual(['scaledobject', 'statefulset', 'scaledobject', 'statefulset']);
    const values = Object.fromEntries(
      ['lifecycle', 'cloudMgmt', 'clusterMgmt', 'policyMgmt'].map((key) => [key, { autoscaling: { kind: 'keda' } }]),
    );
    const objects = await chart.render({ ...EXTERNAL, ...values });
    for (const [, kind, label = '', value] of steps) {
      const ours = objects.filter((object) => object.kind.toLowerCase() === kind);
      expect(ours).toHaveLength(SERVICES.length);
      for (const { metadata, spec } of ours) {
        expect((metadata as { labels?: Readonly<Record<string, string>> }).labels?.[label]).toBe(value);
        expect(spec).not.toHaveProperty('replicas');
      }
    }
  });

  it('opens the API at a port of all nodes, that which is said or one that is free', async () => {
    const open = { service: { type: 'NodePort', nodePort: 30_443 } };
    const portsOf = async (service: object): Promise<unknown> =>
      specOf<{ ports: unknown }>(await chart.render({ ...EXTERNAL, service }), 'Service', 'crate-api').ports;
    const https = { name: 'https', port: 443, targetPort: 'api', appProtocol: 'https' };
    expect(await portsOf(open.service)).toEqual([{ ...https, nodePort: 30_443 }]);
    expect(await portsOf({ ...open.service, nodePort: 0 })).toEqual([https]);
    // Somebody who wants another kind of Service need not take back the port.
    expect(await portsOf({ ...open.service, type: 'ClusterIP' })).toEqual([https]);
    expect(await chart.notes({ ...EXTERNAL, ...open })).toContain('get service crate-api');
  });

  it('has ports of nodes for load balancers, which most send to, unless told otherwise', async () => {
    const webhook = { serviceType: 'LoadBalancer', enabled: true };
    const networkPolicies = { webhook: { cidrs: ['203.0.113.0/24'] } };
    const balanced = { type: 'LoadBalancer', loadBalancerSourceRanges: ['203.0.113.0/24'] };
    const allocated = async (service: object): Promise<unknown> => {
      const objects = await chart.render({ ...EXTERNAL, service, policyMgmt: { webhook }, networkPolicies });
      return ['crate-api', 'crate-webhook'].map(
        (name) => specOf<Record<string, unknown>>(objects, 'Service', name)['allocateLoadBalancerNodePorts'],
      );
    };
    expect(await allocated(balanced)).toEqual([true, true]);
    expect(await allocated({ ...balanced, allocateNodePorts: false })).toEqual([false, false]);
    expect(await allocated({})).toEqual([undefined, true]);
  });

  it('tells what to do next, and what is missing', async () => {
    const plain = await chart.notes(EXTERNAL);
    expect(plain).toContain('port-forward service/crate-api 6440:443');
    // The certificate has this name also where cert-manager makes it.
    expect(plain).toContain('--server https://127.0.0.1:6440 --tls-server-name crate-api.crate-system.svc');
    expect(plain).toContain('lifecycle.issuers is empty');
    expect(plain).not.toContain('one replica');

    const one = { lifecycle: { replicas: 1, issuers: [{ name: 'corporate' }] }, persistence: { enabled: false } };
    const told = await chart.notes({ ...EXTERNAL, ...one, ingress: { enabled: true, host: 'crate.example.com' } });
    expect(told).toContain('https://crate.example.com/console/');
    expect(told).toContain('lifecycle has one replica');
    expect(told).toContain('a restored backup is not noticed');
    expect(told).not.toContain('issuers is empty');
    expect(told).toContain('ingress.annotations is empty');
  });

  it.each([
    { name: 'no public address is let into clusters', values: {}, tells: true },
    { name: 'the value names one', values: { cloudMgmt: { managementCidrs: ['203.0.113.7/32'] } }, tells: false },
    {
      name: 'a setting names one',
      values: { cloudMgmt: { env: { CRATE_MANAGEMENT_CIDRS: '203.0.113.7/32' } } },
      tells: false,
    },
    { name: 'it makes no clusters', values: { inCluster: { enabled: true } }, tells: false },
  ])('tells that nothing is made in AWS yet, or not, where $name', async ({ values, tells }) => {
    const notes = await chart.notes({ ...EXTERNAL, ...values });
    expect(notes.includes('cloudMgmt.managementCidrs is empty')).toBe(tells);
  });

  it('says which images a newer chart would not replace', async () => {
    expect(await chart.notes(EXTERNAL)).not.toContain('image.');
    const pinned = { image: { tag: 'main' }, lifecycle: { image: { digest: `sha256:${'a'.repeat(64)}` } } };
    const told = await chart.notes({ ...EXTERNAL, ...pinned });
    expect(told).toContain('image.tag is main');
    expect(told).toContain('--set lifecycle.image.digest= takes');
    expect(told).not.toContain('cloudMgmt.image.digest');
  });

  it('has an Ingress that reaches the API as the guide says it is installed', async () => {
    const guide = await readFile(join(ROOT, 'docs/install/helm.md'), 'utf8');
    const said = [...guide.matchAll(/--set(?:-string)? '?ingress\.annotations\.((?:\\\.|[^=.])+)=([^' ]+)'?/g)];
    const annotations = Object.fromEntries(said.map(([, key = '', value = '']) => [key.replaceAll('\\', ''), value]));
    expect(annotations).toEqual({
      'nginx.ingress.kubernetes.io/backend-protocol': 'HTTPS',
      'nginx.ingress.kubernetes.io/proxy-read-timeout': '3600',
      'nginx.ingress.kubernetes.io/proxy-body-size': '4m',
    });
    const ingress = { enabled: true, host: 'crate.example.com', annotations };
    const [made] = (await chart.render({ ...EXTERNAL, ingress })).filter(({ kind }) => kind === 'Ingress');
    expect(made?.metadata).toMatchObject({ annotations });
    expect(await chart.notes({ ...EXTERNAL, ingress })).not.toContain('ingress.annotations is empty');
  });

  it('leaves the certificate of the Ingress to a public issuer where one is named, and its own to a private one', async () => {
    const annotations = { 'cert-manager.io/cluster-issuer': 'letsencrypt' };
    const ingress = { enabled: true, host: 'crate.example.com', tlsSecret: 'crate-public-tls', annotations };
    const certManager = { enabled: true, issuerName: 'internal' };
    const objects = await chart.render({ ...BUNDLED, ingress, certManager });
    expect(specOf(objects, 'Ingress', 'crate-api')).toMatchObject({
      tls: [{ hosts: ['crate.example.com'], secretName: 'crate-public-tls' }],
    });
    const made = objects.filter(({ kind }) => kind === 'Certificate').map(({ metadata }) => metadata.name);
    expect(made.sort()).toEqual(['crate-api-tls', 'crate-nats-routes-tls', 'crate-nats-tls']);
    expect(specOf(objects, 'Certificate', 'crate-nats-routes-tls')).toMatchObject({
      ...{ dnsNames: ['*.crate-nats-headless'], usages: ['digital signature', 'server auth', 'client auth'] },
    });
    expect(specOf<{ dnsNames: unknown }>(objects, 'Certificate', 'crate-api-tls').dnsNames).toContain(
      'crate-api.crate-system.svc',
    );
  });

  it('knows API servers that ask the webhook by the authority that is said, apart from its own', async () => {
    const authorityOf = async (webhook: object): Promise<unknown> => {
      const pod = podOf(await chart.render({ ...EXTERNAL, policyMgmt: { webhook } }), 'policy-mgmt');
      const file = pod.containers[0]?.env.find(({ name }) => name === 'CRATE_WEBHOOK_CLIENT_CA_FILE')?.value ?? '';
      const mounted = pod.volumes.find(({ name }) => file.startsWith(`/run/crate/${name}/`));
      return mounted?.secret?.secretName;
    };
    expect(await authorityOf({ enabled: true })).toBe('crate-webhook-tls');
    expect(await authorityOf({ enabled: true, clientCaSecret: 'api-servers' })).toBe('api-servers');
    expect(await authorityOf({ enabled: true, clientCaSecret: 'api-servers', verifyClients: false })).toBeUndefined();
  });

  it('fits the images: their user, and where the console and add-ons lie', async () => {
    const dockerfile = await readFile(join(ROOT, 'deploy/images/Dockerfile'), 'utf8');
    const objects = await chart.render(EXTERNAL);
    const env = podOf(objects, 'lifecycle').containers[0]?.env ?? [];
    for (const name of ['CRATE_CONSOLE_DIR', 'CRATE_ADD_ONS_DIR']) {
      const value = env.find((each) => each.name === name)?.value;
      expect(new RegExp(`${name}=(\\S+)`).exec(dockerfile)?.[1]).toBe(value);
    }
    for (const service of SERVICES) {
      const { runAsUser, runAsGroup } = podOf(objects, service).securityContext;
      expect(dockerfile).toMatch(new RegExp(`USER ${runAsUser}:${runAsGroup}[^]*?services/${service}/dist/main.js`));
    }
  });

  it('pulls by digest where one is given', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const values = {
      ...EXTERNAL,
      image: { registry: 'registry.example.com', repository: '' },
      lifecycle: { image: { digest } },
    };
    const objects = await chart.render(values);
    expect(podOf(objects, 'lifecycle').containers[0]?.image).toBe(`registry.example.com/crate-lifecycle@${digest}`);
    expect(podOf(objects, 'cloud-mgmt').containers[0]?.image).toMatch(
      /^registry\.example\.com\/crate-cloud-mgmt:\d+\.\d+\.\d+$/,
    );
  });
});
