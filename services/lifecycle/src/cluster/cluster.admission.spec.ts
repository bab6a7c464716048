import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  ADD_ON,
  apiVersionOf,
  CLOUD_ACCOUNT,
  CLUSTER,
  type Cluster,
  type KindDefinition,
  type KubeObject,
  type KubeObjectInput,
  type PolicyViolation,
} from '@crate/api';
import { isPlatformError, toStatus, unavailable, type PlatformError } from '@crate/errors';
import { ScriptedPolicyReviewer } from '@crate/messaging';
import { TypedClient, type CallContext, type ResourceRef, type WriteResult } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { anAddOn } from '../testing/a-cluster.js';
import { clusterAdmission, type ClusterAdmissionPorts } from './cluster.admission.js';

const CONTEXT: CallContext = { caller: { user: 'ada', groups: ['team-a'] }, traceId: 'trace-1' };
const TYPE = { group: CLUSTER.group, version: CLUSTER.version, plural: CLUSTER.plural };
const REF: ResourceRef = { ...TYPE, namespace: 'team-a', name: 'demo' };

const SPEC = {
  accountRef: { name: 'sandbox' },
  region: 'us-east-1',
  kubernetes: { engine: 'rke', version: 'v1.31.4' },
  nodePools: [{ name: 'workers', replicas: 2, machineType: 'm5.xlarge' }],
  addOns: [{ name: 'docs' }],
};

let policies: ScriptedPolicyReviewer;
let ports: ClusterAdmissionPorts;
let api: LocalResourceApi;
beforeEach(async () => {
  policies = new ScriptedPolicyReviewer();
  const store = new InMemoryResourceStore();
  const kinds = new KindRegistry([{ definition: ADD_ON }, { definition: CLOUD_ACCOUNT }]);
  api = new LocalResourceApi({ store, kinds });
  const clientFor = <T extends KubeObject>(kind: KindDefinition<T>): TypedClient<T> =>
    new TypedClient(api, kind, CONTEXT);
  const [accounts, catalogue] = [clientFor(CLOUD_ACCOUNT), clientFor(ADD_ON)];
  ports = { accounts, catalogue, policies };
  kinds.add({ definition: CLUSTER, nameFormat: 'dnsLabel', admit: [clusterAdmission(ports)] });

  for (const { metadata, spec } of [anAddOn('baseline'), anAddOn('docs', 'baseline'), anAddOn('broken', 'nowhere')]) {
    await catalogue.ensure({ metadata: { name: metadata.name }, spec }, 'test');
  }
  for (const [name, namespace] of [
    ['sandbox', 'team-a'],
    ['theirs', 'team-b'],
  ] as const) {
    await accounts.ensure({ metadata: { name, namespace }, spec: { provider: 'sandbox-aws' } }, 'test');
  }
});

function document(spec: Record<string, unknown> = {}): KubeObjectInput {
  const metadata = { name: 'demo', namespace: 'team-a' };
  return { apiVersion: apiVersionOf(CLUSTER), kind: CLUSTER.kind, metadata, spec: { ...SPEC, ...spec } };
}

async function create(spec: Record<string, unknown> = {}): Promise<WriteResult> {
  return api.create(TYPE, document(spec), { fieldValidation: 'Strict' }, CONTEXT);
}

async function merge(patch: object): Promise<WriteResult> {
  return api.patch(REF, patch, { type: 'merge' }, CONTEXT);
}

async function refusalOf(write: Promise<unknown>): Promise<PlatformError> {
  const error = await write.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isPlatformError(error)) throw new Error(`Not refused as it should be: ${String(error)}`);
  return error;
}

async function exists(): Promise<boolean> {
  return (await new TypedClient(api, CLUSTER, CONTEXT).find('demo', 'team-a')) !== undefined;
}

function violation(level: PolicyViolation['level'], policy: string): PolicyViolation {
  return {
    ...{ policy, level, severity: 'medium' as const, effect: level === 'must' ? ('deny' as const) : ('warn' as const) },
    ...{ title: policy, field: 'spec.region', message: 'Region is not allowed' },
    remedy: 'Choose eu-central-1',
    references: [],
  };
}

describe('a new cluster', () => {
  it('is stored when its references lead somewhere and no rule is broken', async () => {
    expect(await create()).toMatchObject({ created: true, warnings: [] });
    expect(policies.requests).toMatchObject([
      { stage: 'ClusterSpec', subject: { namespace: 'team-a', name: 'demo' }, document: { kind: 'Cluster' } },
    ]);
  });

  it.each([
    {
      reason: 'an unknown account, naming those there are',
      spec: { accountRef: { name: 'nobody' } },
      field: 'spec.accountRef.name',
      text: 'Invalid value: "nobody": must name a CloudAccount of the same Project; known: sandbox',
    },
    {
      reason: 'an account of another Project, as if it did not exist',
      spec: { accountRef: { name: 'theirs' } },
      field: 'spec.accountRef.name',
      text: 'known: sandbox',
    },
    {
      reason: 'an unknown add-on, naming the catalogue',
      spec: { addOns: [{ name: 'docs' }, { name: 'unknown' }] },
      field: 'spec.addOns[1].name',
      text: 'Invalid value: "unknown": must be in the catalogue: baseline, broken, docs',
    },
    {
      reason: 'an add-on that needs one which is not there',
      spec: { addOns: [{ name: 'broken' }] },
      field: 'spec.addOns',
      text: '"nowhere" (needed by "broken") is not in the catalogue',
    },
    {
      reason: 'a pool that takes the name of the control plane',
      spec: { nodePools: [{ name: 'a' }, { name: 'control-plane' }] },
      field: 'spec.nodePools[1].name',
      text: 'must not be "control-plane", which is taken',
    },
    {
      reason: 'a wrong type',
      spec: { controlPlane: { replicas: 'three' } },
      field: 'spec.controlPlane.replicas',
      text: 'Invalid value: "three": must be a number',
    },
    {
      reason: 'a bad block',
      spec: { network: { vpcCidr: '10.0.0.0' } },
      field: 'spec.network.vpcCidr',
      text: 'must be an IPv4 CIDR block',
    },
    {
      reason: 'an even control plane',
      spec: { controlPlane: { replicas: 4 } },
      field: 'spec.controlPlane.replicas',
      text: 'must be odd',
    },
    {
      reason: 'a version that is not supported',
      spec: { kubernetes: { version: 'v1.9.0' } },
      field: 'spec.kubernetes.version',
      text: 'must be a version that rke supports',
    },
  ])('is refused for $reason (422)', async ({ spec, field, text }) => {
    const error = await refusalOf(create(spec));
    const status = toStatus(error);

    expect([status.code, status.reason]).toEqual([422, 'Invalid']);
    expect(status.message).toContain('Cluster.lifecycle.crate.dev "demo" is invalid');
    expect(status.details?.causes).toHaveLength(1);
    expect(status.details?.causes?.[0]?.field).toBe(field);
    expect(status.details?.causes?.[0]?.message).toContain(text);
    expect(await exists()).toBe(false);
  });

  it('is refused for an unknown field, naming it (4xx)', async () => {
    const error = await refusalOf(create({ colour: 'red' }));
    expect(toStatus(error).code).toBeGreaterThanOrEqual(400);
    expect(toStatus(error).code).toBeLessThan(500);
    expect(error.message).toContain('colour');
  });

  it('names every bad reference at once', async () => {
    const spec = {
      accountRef: { name: 'nobody' },
      addOns: [{ name: 'x' }, { name: 'y' }],
      nodePools: [{ name: 'control-plane' }],
    };
    const error = await refusalOf(create(spec));
    expect(error.details.causes?.map(({ field }) => field)).toEqual([
      'spec.nodePools[0].name',
      'spec.accountRef.name',
      'spec.addOns[0].name',
      'spec.addOns[1].name',
    ]);
    for (const { field = '' } of error.details.causes ?? []) expect(error.message).toContain(field);
  });

  it('is denied by a rule of level must, naming rule, level, field and remedy (403)', async () => {
    policies.answer = {
      allowed: false,
      violations: [violation('must', 'allowed-regions'), violation('should', 'other')],
    };
    const error = await refusalOf(create());
    const status = toStatus(error);

    expect([status.code, error.details.reason]).toEqual([403, 'PolicyDenied']);
    for (const text of ['allowed-regions', 'must', 'spec.region', 'Region is not allowed', 'Choose eu-central-1']) {
      expect(status.message).toContain(text);
    }
    expect(status.details?.causes).toEqual([
      expect.objectContaining({ field: 'spec.region', message: expect.stringContaining('allowed-regions') }),
    ]);
    expect(await exists()).toBe(false);
  });

  it('is stored with warnings where rules of other levels are broken', async () => {
    policies.answer = { allowed: true, violations: [violation('should', 'encryption'), violation('may', 'zones')] };
    const { warnings } = await create();
    expect(warnings).toEqual([
      'should (encryption): spec.region: Region is not allowed. Choose eu-central-1',
      'may (zones): spec.region: Region is not allowed. Choose eu-central-1',
    ]);
    expect(await exists()).toBe(true);
  });

  it('is not stored without a verdict (503)', async () => {
    policies.answer = unavailable('policy-mgmt is away');
    expect(toStatus(await refusalOf(create())).code).toBe(503);
    expect(await exists()).toBe(false);
  });

  it('is judged in a dry run, too, and not stored', async () => {
    const dryRun = api.create(TYPE, document({ accountRef: { name: 'nobody' } }), { dryRun: true }, CONTEXT);
    expect((await refusalOf(dryRun)).code).toBe('InvalidSpec');
    await api.create(TYPE, document(), { dryRun: true }, CONTEXT);
    expect(await exists()).toBe(false);
  });
});

describe('a cluster that exists', () => {
  beforeEach(async () => {
    await create();
    policies.requests.length = 0;
    // Whoever asks for a verdict from now on is refused, and so is noticed.
    policies.answer = { allowed: false, violations: [violation('must', 'everything')] };
  });

  it.each([
    { field: 'spec.accountRef.name', patch: { accountRef: { name: 'other' } } },
    { field: 'spec.region', patch: { region: 'eu-central-1' } },
    { field: 'spec.network.vpcCidr', patch: { network: { vpcCidr: '10.30.0.0/16' } } },
    { field: 'spec.network.podCidr', patch: { network: { podCidr: '10.50.0.0/16' } } },
    { field: 'spec.network.serviceCidr', patch: { network: { serviceCidr: '10.51.0.0/16' } } },
    { field: 'spec.network.availabilityZones', patch: { network: { availabilityZones: 1 } } },
  ])('keeps $field as it is', async ({ field, patch }) => {
    const error = await refusalOf(merge({ spec: patch }));
    expect(error.code).toBe('InvalidSpec');
    expect(error.details.causes?.find((cause) => cause.field === field)?.message).toMatch(/is immutable, it was /);
  });

  it('is judged anew when its spec changes', async () => {
    const error = await refusalOf(merge({ spec: { nodePools: [{ name: 'workers', replicas: 3 }] } }));
    expect(error.details.reason).toBe('PolicyDenied');
    policies.answer = { allowed: true, violations: [] };
    const { object } = await merge({ spec: { nodePools: [{ name: 'workers', replicas: 3 }] } });
    expect((object as Cluster).spec.nodePools[0]?.replicas).toBe(3);
  });

  it('is not judged again for its status, its labels or its finalizers', async () => {
    const clusters = new TypedClient(api, CLUSTER, CONTEXT);
    const found = (await clusters.find('demo', 'team-a')) as Cluster;
    await clusters.saveStatus(found, { version: 'v1.31.4' });
    await merge({ metadata: { labels: { stage: 'test' }, finalizers: ['lifecycle.crate.dev/clusters'] } });
    await merge({ spec: { region: 'us-east-1' } });

    expect(policies.requests).toEqual([]);
    expect((await clusters.find('demo', 'team-a'))?.status?.version).toBe('v1.31.4');
  });

  it('is not judged again when its fields come in another order, as a database and a person may have them', async () => {
    const found = (await new TypedClient(api, CLUSTER, CONTEXT).find('demo', 'team-a')) as Cluster;
    const spec = Object.fromEntries(Object.entries(found.spec).reverse()) as Cluster['spec'];
    const object = { ...found, spec };

    await clusterAdmission(ports)({ operation: 'UPDATE', object, oldObject: found, context: CONTEXT, dryRun: false });

    expect(policies.requests).toEqual([]);
  });

  it('can be deleted whatever the rules say', async () => {
    await api.remove(REF, {}, CONTEXT);
    expect(policies.requests).toEqual([]);
    expect(await exists()).toBe(false);
  });
});
