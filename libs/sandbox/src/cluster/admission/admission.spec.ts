import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isPlatformError, type PlatformError } from '@crate/errors';
import { JOB } from '../kinds/batch.js';
import { CONFIG_MAP, NAMESPACE, SECRET } from '../kinds/core.js';
import { CUSTOM_RESOURCE_DEFINITION } from '../kinds/custom-resource-definition.js';
import { POD } from '../kinds/pod.js';
import { CLUSTER_ROLE_BINDING } from '../kinds/rbac.js';
import { SERVICE, type Service } from '../kinds/service.js';
import { DEPLOYMENT, STATEFUL_SET, type Deployment } from '../kinds/workloads.js';
import { TestCluster } from '../testing/running-cluster.js';

const CONTAINER = { name: 'c', image: 'nginx' };
const LABELS = { app: 'a' };
const WORKLOAD = {
  selector: { matchLabels: LABELS },
  template: { metadata: { labels: LABELS }, spec: { containers: [CONTAINER] } },
};

function podSpec(change: Readonly<Record<string, unknown>>): { readonly spec: unknown } {
  return { spec: { containers: [CONTAINER], ...change } };
}

function templateWith(change: Readonly<Record<string, unknown>>): { readonly spec: unknown } {
  return { spec: { ...WORKLOAD, template: { ...WORKLOAD.template, spec: { containers: [CONTAINER], ...change } } } };
}

describe('rules of core kinds', () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await TestCluster.start();
  });
  afterAll(() => cluster.stop());

  async function refusal(attempt: () => Promise<unknown>): Promise<PlatformError> {
    try {
      await attempt();
    } catch (error) {
      if (isPlatformError(error)) return error;
      throw error;
    }
    throw new Error('It was accepted');
  }

  it.each([
    { name: 'a pod without containers', kind: POD, body: { spec: {} }, field: 'spec.containers' },
    {
      name: 'a container without an image',
      kind: POD,
      body: podSpec({ containers: [{ name: 'c' }] }),
      field: 'spec.containers[0].image',
    },
    {
      name: 'a container with a bad name',
      kind: POD,
      body: podSpec({ containers: [{ ...CONTAINER, name: 'A_' }] }),
      field: 'spec.containers[0].name',
    },
    {
      name: 'two containers of one name',
      kind: POD,
      body: podSpec({ containers: [CONTAINER, CONTAINER] }),
      field: 'spec.containers[1].name',
    },
    {
      name: 'a mount of no volume',
      kind: POD,
      body: podSpec({ containers: [{ ...CONTAINER, volumeMounts: [{ name: 'v', mountPath: '/v' }] }] }),
      field: 'spec.containers[0].volumeMounts[0].name',
    },
    {
      name: 'a quantity that is none',
      kind: POD,
      body: podSpec({ containers: [{ ...CONTAINER, resources: { requests: { cpu: 'much' } } }] }),
      field: 'spec.containers[0].resources.requests.cpu',
    },
    {
      name: 'a Deployment that does not select its pods',
      kind: DEPLOYMENT,
      body: { spec: { ...WORKLOAD, selector: { matchLabels: { app: 'b' } } } },
      field: 'spec.template.metadata.labels',
    },
    {
      name: 'an empty selector',
      kind: DEPLOYMENT,
      body: { spec: { ...WORKLOAD, selector: {} } },
      field: 'spec.selector',
    },
    {
      name: 'a Deployment whose pods end',
      kind: DEPLOYMENT,
      body: templateWith({ restartPolicy: 'Never' }),
      field: 'spec.template.spec.restartPolicy',
    },
    {
      name: 'a Job whose pods never end',
      kind: JOB,
      body: { spec: { template: { spec: { containers: [CONTAINER] } } } },
      field: 'spec.template.spec.restartPolicy',
    },
    { name: 'a Service without ports', kind: SERVICE, body: { spec: { selector: LABELS } }, field: 'spec.ports' },
    {
      name: 'several ports without names',
      kind: SERVICE,
      body: { spec: { ports: [{ port: 80 }, { port: 81, name: 'b' }] } },
      field: 'spec.ports[0].name',
    },
    {
      name: 'a port too high',
      kind: SERVICE,
      body: { spec: { ports: [{ port: 70000 }] } },
      field: 'spec.ports[0].port',
    },
    { name: 'a Secret that is not base64', kind: SECRET, body: { data: { a: '!' } }, field: 'data.a' },
    {
      name: 'a definition under another name',
      kind: CUSTOM_RESOURCE_DEFINITION,
      body: {
        spec: {
          ...{ group: 'example.com', names: { plural: 'widgets', kind: 'Widget' }, scope: 'Cluster' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        },
      },
      field: 'metadata.name',
    },
  ])('refuse $name', async ({ kind, body, field }) => {
    const { code, details } = await refusal(() => cluster.create(kind, body));

    expect(code).toBe('InvalidSpec');
    expect(details.causes?.map((cause) => cause.field)).toContain(field);
  });

  it.each([
    {
      name: 'a misspelt field',
      kind: POD,
      body: podSpec({ containers: [{ ...CONTAINER, imagee: 'x' }] }),
      code: 'BadRequest',
    },
    {
      name: 'a namespace that does not exist',
      kind: CONFIG_MAP,
      body: { metadata: { namespace: 'nowhere' } },
      code: 'NotFound',
    },
    {
      name: 'a service account that does not exist',
      kind: POD,
      body: podSpec({ serviceAccountName: 'ghost' }),
      code: 'Forbidden',
    },
  ])('refuse $name', async ({ kind, body, code }) => {
    expect((await refusal(() => cluster.create(kind, body))).code).toBe(code);
  });

  it.each([
    {
      name: 'a selector',
      kind: DEPLOYMENT,
      body: { metadata: { name: 'fixed' }, spec: WORKLOAD },
      patch: {
        spec: { selector: { matchLabels: { app: 'a', b: 'c' } }, template: { metadata: { labels: { b: 'c' } } } },
      },
    },
    {
      name: 'a pod',
      kind: POD,
      body: { metadata: { name: 'fixed' }, ...podSpec({}) },
      patch: { spec: { hostNetwork: true } },
    },
    {
      name: 'an immutable ConfigMap',
      kind: CONFIG_MAP,
      body: { metadata: { name: 'fixed' }, immutable: true, data: { a: '1' } },
      patch: { data: { a: '2' } },
    },
    { name: 'the type of a Secret', kind: SECRET, body: { metadata: { name: 'fixed' } }, patch: { type: 'other' } },
    {
      name: 'a service address',
      kind: SERVICE,
      body: { metadata: { name: 'fixed' }, spec: { ports: [{ port: 80 }] } },
      patch: { spec: { clusterIP: '10.43.9.9' } },
    },
    {
      name: 'a set’s service',
      kind: STATEFUL_SET,
      body: { metadata: { name: 'fixed' }, spec: WORKLOAD },
      patch: { spec: { serviceName: 'other' } },
    },
    {
      name: 'the role of a binding',
      kind: CLUSTER_ROLE_BINDING,
      body: { metadata: { name: 'fixed' }, roleRef: { kind: 'ClusterRole', name: 'view' } },
      patch: { roleRef: { name: 'edit' } },
    },
  ])('keep $name as it is', async ({ kind, body, patch }) => {
    await cluster.create(kind, body);
    expect((await refusal(() => cluster.patch(kind, 'fixed', patch))).code).toBe('InvalidSpec');
  });

  it('fill in what Kubernetes fills in', async () => {
    const deployment = (await cluster.create(DEPLOYMENT, {
      metadata: { name: 'filled' },
      spec: WORKLOAD,
    })) as Deployment;
    const [container] = deployment.spec.template.spec.containers;
    expect(deployment.spec).toMatchObject({ replicas: 1, strategy: { rollingUpdate: { maxSurge: '25%' } } });
    expect(container).toMatchObject({ imagePullPolicy: 'Always', terminationMessagePath: '/dev/termination-log' });

    const service = (await cluster.create(SERVICE, {
      metadata: { name: 'filled' },
      spec: { type: 'NodePort', ports: [{ port: 80 }] },
    })) as Service;
    expect(service.spec).toMatchObject({
      clusterIP: expect.stringMatching(/^10\.43\./) as unknown,
      ports: [{ targetPort: 80, protocol: 'TCP' }],
    });
    expect(service.spec.ports?.[0]?.nodePort).toBeGreaterThanOrEqual(30_000);
    expect(await cluster.create(SECRET, { metadata: { name: 'filled' }, stringData: { a: 'b' } })).toMatchObject({
      data: { a: 'Yg==' },
    });
  });

  it('never give one address to two services', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `many-${index}`);
    for (const name of names) await cluster.create(SERVICE, { metadata: { name }, spec: { ports: [{ port: 80 }] } });
    const addresses = cluster.list(SERVICE).map(({ spec }) => spec.clusterIP);

    expect(new Set(addresses).size).toBe(addresses.length);
  });

  it('keep the system’s own namespaces', async () => {
    expect((await refusal(() => cluster.remove(NAMESPACE, 'kube-system'))).code).toBe('Forbidden');
  });
});
