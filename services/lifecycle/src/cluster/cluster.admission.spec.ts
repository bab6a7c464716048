import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  ADD_ON,
  apiVersionOf,
  CLOUD_ACCOUNT,
  CLUSTER,
  INFRASTRUCTURE,
  type Cluster,
  type KindDefinition,
  type KubeObject,
  type KubeObjectInput,
  type PolicyViolation,
} from '@crate/api';
import { isPlatformError, toStatus, unavailable, type PlatformError } from '@crate/errors';
import { GuardedPolicyReviewer, ScriptedPolicyReviewer, type WhenUnavailable } from '@crate/messaging';
import { TypedClient, type CallContext, type ResourceRef, type WriteResult } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryLogger } from '@crate/telemetry';
import { anAddOn } from '../testing/a-cluster.js';
import { AccountProviders } from './account-providers.js';
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
let whenUnavailable: { ClusterSpec?: WhenUnavailable };
let lookups: number;
let ports: ClusterAdmissionPorts;
let api: LocalResourceApi;
const SIZED = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'sized' } };

beforeEach(async () => {
  policies = new ScriptedPolicyReviewer();
  whenUnavailable = {};
  lookups = 0;
  const store = new InMemoryResourceStore();
  const kinds = new KindRegistry([
    { definition: ADD_ON },
    { definition: CLOUD_ACCOUNT },
    { definition: INFRASTRUCTURE },
  ]);
  api = new LocalResourceApi({ store, kinds });
  const clientFor = <T extends KubeObject>(kind: KindDefinition<T>): TypedClient<T> =>
    new TypedClient(api, kind, CONTEXT);
  const [accounts, catalogue] = [clientFor(CLOUD_ACCOUNT), clientFor(ADD_ON)];
  const find = accounts.find.bind(accounts);
  accounts.find = async (...key) => {
    lookups += 1;
    return find(...key);
  };
  const guarded = new GuardedPolicyReviewer(policies, { whenUnavailable, logger: new InMemoryLogger() });
  const infrastructures = clientFor(INFRASTRUCTURE);
  ports = { accounts, providers: new AccountProviders(accounts), catalogue, infrastructures, policies: guarded };
  kinds.add({ definition: CLUSTER, nameFormat: 'dnsLabel', admit: [clusterAdmission(ports)] });

  const sized = anAddOn('sized');
  sized.spec.valuesSchema = { type: 'object', properties: { size: { type: 'integer', minimum: 1 } } };
  sized.spec.manifests.push({ ...SIZED, size: '${[1, 2, 3][values.size]}' });
  sized.spec.manifests.shift();
  const elsewhere = anAddOn('volumes');
  elsewhere.spec.providers = ['aws'];
  const addOns = [anAddOn('baseline'), anAddOn('docs', 'baseline'), anAddOn('broken', 'nowhere'), sized, elsewhere];
  for (const { metadata, spec } of addOns) {
    await catalogue.ensure({ metadata: { name: metadata.name }, spec }, 'test');
  }
  for (const [name, namespace] of [
    ['sandbox', 'team-a'],
    ['theirs', 'team-b'],
  ] as const) {
    await accounts.ensure({ metadata: { name, namespace }, spec: { provider: 'sandbox-aws' } }, 'test');
  }
});

function document(spec: Record<string, unknown> = {}, name = 'demo'): KubeObjectInput {
  const metadata = { name, namespace: 'team-a', labels: { stage: 'prod' } };
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

describe('add-ons of a cluster', () => {
  it('judges no add-on that it asked for before and that is gone from the catalogue by now', async () => {
    await create({ addOns: [{ name: 'sized', values: { size: 2 } }, { name: 'docs' }] });
    await new TypedClient(api, ADD_ON, CONTEXT).remove('sized');
    await merge({ spec: { nodePools: [{ name: 'workers', replicas: 3 }] } });
    const refusal = await refusalOf(
      merge({ spec: { addOns: [{ name: 'sized', values: { size: 2 } }, { name: 'unknown' }] } }),
    );
    expect(refusal.details.causes?.map(({ field }) => field)).toEqual(['spec.addOns[1].name']);
  });

  it('are not judged again when something else changes, though the catalogue has moved on', async () => {
    await create({ addOns: [{ name: 'sized', values: { size: 2 } }] });
    const catalogue = new TypedClient(api, ADD_ON, CONTEXT);
    await catalogue.merge('sized', undefined, {
      spec: { valuesSchema: { properties: { size: { type: 'integer', minimum: 5 } } } },
    });
    await merge({ spec: { nodePools: [{ name: 'workers', replicas: 3 }] } });
    const refusal = await refusalOf(merge({ spec: { addOns: [{ name: 'sized', values: { size: 1 } }] } }));
    expect(refusal.details.causes?.map(({ field }) => field)).toEqual(['spec.addOns[0].values.size']);
  });
});

describe('a new cluster', () => {
  it('is stored when its references lead somewhere and no rule is broken', async () => {
    expect(await create()).toMatchObject({ created: true, warnings: [] });
    expect(policies.requests).toMatchObject([
      { stage: 'ClusterSpec', subject: { namespace: 'team-a', name: 'demo' }, document: { kind: 'Cluster' } },
    ]);
  });

  it('is judged as what it is: who asks for it, its labels, its engine and the cloud it goes to', async () => {
    await create();
    const [request] = policies.requests;
    expect(request).toMatchObject({
      operation: 'CREATE',
      document: { metadata: { name: 'demo', namespace: 'team-a', labels: { stage: 'prod' } } },
      subject: { labels: { stage: 'prod' }, engine: 'rke', provider: 'sandbox-aws' },
      userInfo: { username: 'ada', groups: ['team-a'] },
    });
    expect(request).not.toHaveProperty('oldDocument');
    expect(request).not.toHaveProperty('dryRun');
    // What was asked for may be refused by others yet: passes see to reports.
    expect(request).not.toHaveProperty('remember');
  });

  it('is refused with a name that AWS does not take', async () => {
    const refusal = await refusalOf(api.create(TYPE, document({}, 'sg-prod'), {}, CONTEXT));
    expect(refusal).toMatchObject({ code: 'InvalidSpec', details: { causes: [{ field: 'metadata.name' }] } });
  });

  it('costs one look at its account and one review', async () => {
    await create();
    await api.create(TYPE, document({}, 'other'), {}, CONTEXT);
    expect([lookups, policies.calls]).toEqual([2, 2]);
    expect(policies.requests.map(({ subject }) => subject.provider)).toEqual(['sandbox-aws', 'sandbox-aws']);
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
      text: 'Invalid value: "unknown": must be in the catalogue: baseline, broken, docs, sized, volumes',
    },
    {
      reason: 'an add-on that needs one which is not there',
      spec: { addOns: [{ name: 'broken' }] },
      field: 'spec.addOns',
      text: '"nowhere" (needed by "broken") is not in the catalogue',
    },
    {
      reason: 'an add-on that is for another cloud',
      spec: { addOns: [{ name: 'volumes' }] },
      field: 'spec.addOns[0].name',
      text: 'Invalid value: "volumes": is for clusters in aws; this one is in sandbox-aws',
    },
    {
      reason: 'an add-on that it does not want and another one needs',
      spec: { addOns: [{ name: 'baseline', enabled: false }, { name: 'docs' }] },
      field: 'spec.addOns[0].enabled',
      text: 'add-on "docs" needs it: leave that out as well',
    },
    {
      reason: 'a version of an add-on that is not kept, naming those that are',
      spec: { addOns: [{ name: 'docs', version: '0.9.0' }] },
      field: 'spec.addOns[0].version',
      text: 'Invalid value: "0.9.0": must be a version that is kept: 1.0.0',
    },
    {
      reason: 'values of an add-on that takes none',
      spec: { addOns: [{ name: 'docs' }, { name: 'baseline', values: { size: 1 } }] },
      field: 'spec.addOns[1].values.size',
      text: 'the add-on has no such value; known: none',
    },
    {
      reason: 'a value that does not fit the schema of its add-on',
      spec: { addOns: [{ name: 'sized', values: { size: 0 } }] },
      field: 'spec.addOns[0].values.size',
      text: 'must be at least 1',
    },
    {
      reason: 'values that fit, and that its add-on can make nothing of',
      spec: { addOns: [{ name: 'sized', values: { size: 3 } }] },
      field: 'spec.addOns[0].values',
      text: 'sized 1.0.0 cannot be made of these values: manifests.0.size',
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
      reason: 'a port of the load balancer that leads to no node port',
      spec: { network: { loadBalancerPorts: [{ port: 443, nodePort: 443 }] } },
      field: 'spec.network.loadBalancerPorts[0].nodePort',
      text: 'must be at least 30000',
    },
    {
      reason: 'the port of the API, which is taken',
      spec: { network: { loadBalancerPorts: [{ port: 6443, nodePort: 30_443 }] } },
      field: 'spec.network.loadBalancerPorts[0].port',
      text: 'must not be 6443, which is that of the API server',
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
    {
      reason: 'more machines than its engine keeps the state of',
      spec: {
        nodePools: [
          { name: 'a', replicas: 100 },
          { name: 'b', replicas: 8 },
        ],
      },
      field: 'spec.nodePools',
      text: 'at most 110 machines',
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
      'spec.region: Region is not allowed (policy encryption, level should, severity medium): Choose eu-central-1',
      'spec.region: Region is not allowed (policy zones, level may, severity medium): Choose eu-central-1',
    ]);
    expect(await exists()).toBe(true);
  });

  it('is not stored without a verdict (503), with when to try again', async () => {
    policies.answer = unavailable('policy-mgmt is away');
    expect(toStatus(await refusalOf(create()))).toMatchObject({
      code: 503,
      message: 'The cluster cannot be judged by policies, so nothing is done: policy-mgmt is away',
      details: { retryAfterSeconds: 2, causes: [{ reason: 'PolicyUnavailable' }] },
    });
    expect(await exists()).toBe(false);
  });

  it('is stored with a warning without a verdict, where that is set so', async () => {
    policies.answer = unavailable('policy-mgmt is away');
    whenUnavailable.ClusterSpec = 'allow';
    const { warnings } = await create();
    expect(warnings).toEqual([expect.stringContaining('Policies were not checked')]);
    expect(await exists()).toBe(true);
  });

  it('is judged in a dry run, too, and not stored', async () => {
    const dryRun = api.create(TYPE, document({ accountRef: { name: 'nobody' } }), { dryRun: true }, CONTEXT);
    expect((await refusalOf(dryRun)).code).toBe('InvalidSpec');
    await api.create(TYPE, document(), { dryRun: true }, CONTEXT);
    expect(policies.requests.at(-1)?.dryRun).toBe(true);
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

  it('keeps the processor architecture of its machines', async () => {
    const nodePools = [{ name: 'workers', replicas: 2, machineType: 'm6g.xlarge' }];
    const error = await refusalOf(merge({ spec: { nodePools } }));
    expect(error.details.causes).toMatchObject([{ field: 'spec.nodePools[0].machineType' }]);
  });

  it('may ask for ports of its load balancer, and for none again', async () => {
    policies.answer = { allowed: true, violations: [] };
    const loadBalancerPorts = [{ port: 443, nodePort: 30_443 }];
    const portsOf = ({ object }: WriteResult): unknown => (object as Cluster).spec.network?.loadBalancerPorts;
    expect(portsOf(await merge({ spec: { network: { loadBalancerPorts } } }))).toEqual(loadBalancerPorts);
    expect(portsOf(await merge({ spec: { network: { loadBalancerPorts: null } } }))).toBeUndefined();
  });

  it('is judged anew when its spec changes', async () => {
    const error = await refusalOf(merge({ spec: { nodePools: [{ name: 'workers', replicas: 3 }] } }));
    expect(error.details.reason).toBe('PolicyDenied');
    policies.answer = { allowed: true, violations: [] };
    const { object } = await merge({ spec: { nodePools: [{ name: 'workers', replicas: 3 }] } });
    expect((object as Cluster).spec.nodePools[0]?.replicas).toBe(3);
  });

  it('is judged with what it was', async () => {
    policies.answer = { allowed: true, violations: [] };
    await merge({ spec: { nodePools: [{ name: 'workers', replicas: 3 }] } });
    expect(policies.requests).toMatchObject([
      {
        operation: 'UPDATE',
        document: { spec: { nodePools: [{ replicas: 3 }] } },
        oldDocument: { kind: 'Cluster', spec: { nodePools: [{ replicas: 2 }] } },
        userInfo: { username: 'ada' },
      },
    ]);
  });

  it('may become what rules allow, and nothing else, while it breaks one', async () => {
    const isMended = (spec: Cluster['spec']): boolean => spec.nodePools[0]?.replicas === 3;
    policies.answer = ({ document: judged }) => ({
      allowed: isMended((judged as Cluster).spec),
      violations: [violation('must', 'three-workers')],
    });
    const error = await refusalOf(merge({ spec: { kubernetes: { version: 'v1.30.8' } } }));
    expect(error.details.reason).toBe('PolicyDenied');
    await merge({ spec: { nodePools: [{ name: 'workers', replicas: 3 }] } });
  });

  it('is judged anew when its labels change, by which rules match', async () => {
    const relabel = (): Promise<WriteResult> => merge({ metadata: { labels: { stage: 'test' } } });
    expect((await refusalOf(relabel())).details.reason).toBe('PolicyDenied');
    policies.answer = { allowed: true, violations: [violation('should', 'naming')] };
    const { warnings } = await relabel();
    expect(warnings).toEqual([expect.stringContaining('policy naming')]);
    expect(policies.requests.at(-1)).toMatchObject({
      document: { metadata: { labels: { stage: 'test' } } },
      oldDocument: { metadata: { labels: { stage: 'prod' } } },
    });
  });

  it('is not judged again for its status, its annotations or its finalizers', async () => {
    const clusters = new TypedClient(api, CLUSTER, CONTEXT);
    const found = (await clusters.find('demo', 'team-a')) as Cluster;
    await clusters.saveStatus(found, { version: 'v1.31.4' });
    await merge({ metadata: { annotations: { note: 'x' }, finalizers: ['lifecycle.crate.dev/clusters'] } });
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

  describe('that is to be deleted', () => {
    const finalizers = ['lifecycle.crate.dev/clusters'];
    const remove = (dryRun = false): Promise<unknown> => api.remove(REF, { dryRun }, CONTEXT);

    it('stays when a rule forbids it (403), which is named', async () => {
      policies.answer = { allowed: false, violations: [violation('must', 'no-deletion')] };
      const error = await refusalOf(remove());
      expect([toStatus(error).code, error.details.reason]).toEqual([403, 'PolicyDenied']);
      expect(error.message).toMatch(/^The deletion of Cluster "demo" is denied by policy: .*policy no-deletion/);
      expect(await exists()).toBe(true);
    });

    it('is judged by whoever asks for the deletion, as what it is', async () => {
      policies.answer = { allowed: true, violations: [] };
      await remove(true);
      expect(policies.requests).toMatchObject([
        {
          operation: 'DELETE',
          document: { kind: 'Cluster' },
          oldDocument: { kind: 'Cluster' },
          subject: { provider: 'sandbox-aws', engine: 'rke' },
          userInfo: { username: 'ada' },
          dryRun: true,
        },
      ]);
      expect(await exists()).toBe(true);
    });

    it('does not wait for its account to be known', async () => {
      policies.answer = { allowed: true, violations: [] };
      ports = { ...ports, providers: { of: () => Promise.reject(unavailable('cloud-mgmt is away')) } };
      const object = (await new TypedClient(api, CLUSTER, CONTEXT).find('demo', 'team-a')) as Cluster;
      await clusterAdmission(ports)({ operation: 'DELETE', object, context: CONTEXT, dryRun: false });
      expect(policies.requests[0]?.subject).not.toHaveProperty('provider');
    });

    it('stays without a verdict (503), or goes where that is set so', async () => {
      policies.answer = unavailable('policy-mgmt is away');
      expect(toStatus(await refusalOf(remove())).code).toBe(503);
      expect(await exists()).toBe(true);
      whenUnavailable.ClusterSpec = 'allow';
      await remove();
      expect(await exists()).toBe(false);
    });

    it('is judged once: what is under way is in nobody’s hands', async () => {
      policies.answer = { allowed: true, violations: [] };
      await merge({ metadata: { finalizers } });
      await remove();
      policies.answer = { allowed: false, violations: [violation('must', 'everything')] };
      await remove();
      await merge({ metadata: { labels: { stage: 'test' } } });
      await merge({ spec: { deletionProtection: false, nodePools: [{ name: 'workers', replicas: 1 }] } });
      expect(policies.requests).toHaveLength(1);
    });
  });
});
