import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { NAMESPACE, releaseSecrets, RELEASE, StagedChart, whyNoHelm, type RenderedObject } from '@crate/helm-chart';
import { eventually } from '@crate/testing';
import { buildSandbox, TestBench } from './testing/test-bench.js';

jest.setTimeout(300_000);

/** Kinds of operators that the chart makes objects of; what their members mean is not judged here. */
const OPERATED = [
  ['cert-manager.io', 'v1', 'Certificate', 'certificates'],
  ['external-secrets.io', 'v1', 'ExternalSecret', 'externalsecrets'],
  ['keda.sh', 'v1alpha1', 'ScaledObject', 'scaledobjects'],
  ['monitoring.coreos.com', 'v1', 'PrometheusRule', 'prometheusrules'],
  ['monitoring.coreos.com', 'v1', 'ServiceMonitor', 'servicemonitors'],
  ['postgresql.cnpg.io', 'v1', 'Cluster', 'clusters'],
] as const;

/** Secrets that cert-manager and CloudNativePG would make. */
const MADE_BY_OPERATORS = ['crate-webhook-tls', 'crate-postgres-ca'];
/** With the authority of those that ask the webhook. */
const API_SERVERS = 'api-servers';

const SCALED = { autoscaling: { kind: 'hpa', minReplicas: 2 } };
/** As much as one release can have at once. */
const VALUES = {
  components: { enabled: true },
  persistence: { enabled: false },
  postgresql: { enabled: true },
  nats: { enabled: true },
  certManager: { enabled: true, issuerName: 'internal' },
  externalSecrets: { enabled: true, storeName: 'vault' },
  ingress: { enabled: true, host: 'crate.example.com' },
  monitoring: {
    serviceMonitor: { enabled: true },
    prometheusRule: { enabled: true },
    dashboards: { enabled: true },
  },
  lifecycle: { issuers: [{ name: 'corporate', issuer: 'https://login.example.com', audiences: ['crate-cli'] }] },
  policyMgmt: { ...SCALED, webhook: { enabled: true, clientCaSecret: API_SERVERS } },
  clusterMgmt: { autoscaling: { kind: 'keda' } },
};

const PATIENT = { timeoutMs: 60_000 };
const reason = await whyNoHelm();
const suite = reason === undefined ? describe : describe.skip;

suite(`the Helm chart on a simulated cluster${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  let bench: TestBench;
  let objects: readonly RenderedObject[];
  let withVolumes: readonly RenderedObject[];

  beforeAll(async () => {
    const chart = await StagedChart.make();
    objects = await chart.render(VALUES);
    withVolumes = await chart.render({ ...VALUES, persistence: { enabled: true } });
    await chart.remove();
    await buildSandbox();
    bench = await TestBench.start();
    await bench.up();
    await apply(OPERATED.map(definitionOf));
    await kubectl(`create namespace ${NAMESPACE}`);
    await kubectl(`label namespace ${NAMESPACE} pod-security.kubernetes.io/enforce=restricted`);
    const { secrets } = await releaseSecrets({
      fullname: RELEASE,
      namespace: NAMESPACE,
      hosts: ['crate.example.com'],
    });
    await apply([...secrets, ...[...MADE_BY_OPERATORS, API_SERVERS].map(secretOf)]);
    await eventually(() => kubectl(`-n ${NAMESPACE} get serviceaccount default`), PATIENT);
  });
  afterAll(() => bench.stop());

  const kubectl = (args: string, input?: unknown): Promise<string> => bench.kubectlSucceeds(args.split(' '), input);
  const apply = (items: readonly unknown[]): Promise<string> =>
    kubectl('apply --server-side --validate=strict -f -', { apiVersion: 'v1', kind: 'List', items });

  it('is taken whole, and its pods become ready', async () => {
    const told = await apply(objects);
    expect(told.trim().split('\n')).toHaveLength(objects.length);
    for (const { kind, metadata } of objects.filter((object) => object.kind === 'StatefulSet')) {
      expect(kind).toBe('StatefulSet');
      await kubectl(`-n ${NAMESPACE} rollout status statefulset/${metadata.name} --timeout=100s`);
    }
    expect(await kubectl(`-n ${NAMESPACE} get pods`)).toMatch(/^crate-lifecycle-1 +1\/1 +Running +0/m);
  });

  it('changes nothing when it is applied again', async () => {
    const versions = (): Promise<string> =>
      kubectl('get -f - -o jsonpath={range.items[*]}{.kind}/{.metadata.name}:{.metadata.resourceVersion};{end}', {
        ...{ apiVersion: 'v1', kind: 'List' },
        items: objects,
      });
    const before = await eventually(async () => {
      const first = await versions();
      expect(await versions()).toBe(first);
      return first;
    }, PATIENT);
    expect(before.split(';').length).toBeGreaterThan(objects.length);
    await apply(objects);
    expect(await versions()).toBe(before);
  });

  it('goes away whole', async () => {
    await kubectl('delete -f - --wait=true --timeout=100s', { apiVersion: 'v1', kind: 'List', items: objects });
    await eventually(async () => {
      expect((await kubectl(`-n ${NAMESPACE} get pods -o name`)).trim()).toBe('');
    }, PATIENT);
    // Keys are no part of the release.
    expect(await kubectl(`-n ${NAMESPACE} get secrets -o name`)).toContain('secret/crate-lifecycle-encryption');
  });

  it('asks for a volume for each pod, which outlives it', async () => {
    const set = withVolumes.filter(({ metadata }) => metadata.name === 'crate-cloud-mgmt');
    await apply(set);
    const claims = ['data-crate-cloud-mgmt-0', 'data-crate-cloud-mgmt-1'];
    const found = (): Promise<string> => kubectl(`-n ${NAMESPACE} get pvc -o jsonpath={.items[*].metadata.name}`);
    await eventually(async () => expect((await found()).split(' ')).toEqual(claims), PATIENT);
    await kubectl('delete -f - --wait=true --timeout=100s', { apiVersion: 'v1', kind: 'List', items: set });
    expect((await found()).split(' ')).toEqual(claims);
  });
});

function secretOf(name: string): unknown {
  const metadata = { name, namespace: NAMESPACE };
  return { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { 'ca.crt': 'An authority' } };
}

function definitionOf([group, version, kind, plural]: (typeof OPERATED)[number]): unknown {
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: anything } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope: 'Namespaced', names: { kind, plural, singular: kind.toLowerCase() } },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  };
}
