import { beforeEach, describe, expect, it } from '@jest/globals';
import { CLUSTER, PROJECT, type Cluster, type KubeObject } from '@crate/api';
import type { Caller, CallContext } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi, type AdmissionHook } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { TypedClient } from '@crate/resource-client';
import { APPROVED_PLAN_ANNOTATION, markText } from '../plan/approved-plan.js';
import { apiKey, aProject, person } from '../testing/a-project.js';
import { allowedAdmission } from './project-allowed.admission.js';
import { defaultsPrepare } from './project-defaults.prepare.js';
import { ProjectOfWrite } from './project-of-write.js';
import { projectEditAdmission } from './project-edit.admission.js';
import { quotaAdmission } from './project-quota.admission.js';

const CLUSTERS = { group: CLUSTER.group, version: CLUSTER.version, plural: CLUSTER.plural };
const ADA = person('ada', 'platform-admin');

let api: LocalResourceApi;
beforeEach(() => {
  const store = new InMemoryResourceStore();
  const kinds = new KindRegistry();
  api = new LocalResourceApi({ store, kinds });
  const projects = new ProjectOfWrite(new TypedClient(api, PROJECT, as(ADA)));
  kinds.add({ definition: PROJECT, admit: [projectEditAdmission] });
  const admit: readonly AdmissionHook[] = [allowedAdmission(projects), quotaAdmission(projects, store)];
  const ofClass: AdmissionHook = () => Promise.resolve();
  kinds.add({ definition: CLUSTER, prepare: defaultsPrepare(projects, ofClass), admit });
});

function as(caller: Caller): CallContext {
  return { caller, traceId: 't' };
}

async function project(spec: Record<string, unknown>, caller = ADA): Promise<void> {
  const document = { ...aProject('team-a', spec), metadata: { name: 'team-a' } } as unknown as KubeObject;
  const type = { group: PROJECT.group, version: PROJECT.version, plural: PROJECT.plural };
  const found = await api.list(type, {}, as(ADA));
  if (found.items.length === 0) await api.create(type, document, {}, as(caller));
  else await api.update({ ...type, name: 'team-a' }, document, {}, as(caller));
}

function document(name: string, spec: Record<string, unknown> = {}): KubeObject {
  return {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'Cluster',
    metadata: { name, namespace: 'team-a' } as KubeObject['metadata'],
    spec: {
      accountRef: { name: 'sandbox' },
      region: 'us-east-1',
      kubernetes: { version: 'v1.31.4' },
      controlPlane: { replicas: 1, machineType: 'm5.large' },
      ...spec,
    },
  };
}

async function create(name: string, spec: Record<string, unknown> = {}, dryRun = false): Promise<Cluster> {
  const { object } = await api.create(CLUSTERS, document(name, spec), { dryRun }, as(person('otto')));
  return object as Cluster;
}

async function patch(name: string, spec: Record<string, unknown>): Promise<Cluster> {
  const ref = { ...CLUSTERS, namespace: 'team-a', name };
  return (await api.patch(ref, { spec }, { type: 'merge' }, as(person('otto')))).object as Cluster;
}

/** The spec that a cluster had before a plan changed it, of which nothing was carried out. */
async function takeBack(name: string, former: Record<string, unknown>): Promise<void> {
  const ref = { ...CLUSTERS, namespace: 'team-a', name };
  const service = as({ user: 'system:lifecycle', groups: [], service: 'lifecycle' });
  const annotated = (mark: string | null): object => ({ annotations: { [APPROVED_PLAN_ANNOTATION]: mark } });
  const mark = markText({ name: 'plan', uid: 'plan-uid', digest: 'd', generation: 1 });
  await api.patch(ref, { metadata: annotated(mark) }, { type: 'merge' }, service);
  await api.patch(ref, { metadata: annotated(null), spec: former }, { type: 'merge' }, service);
}

const workers = (replicas: number, machineType = 'm5.xlarge'): Record<string, unknown> => ({
  nodePools: [{ name: 'workers', replicas, machineType }],
});

describe('a Project that is being deleted, and that a finalizer holds', () => {
  const ref = { group: PROJECT.group, version: PROJECT.version, plural: PROJECT.plural, name: 'team-a' };

  it('takes no new cluster', async () => {
    await project({});
    const held = { metadata: { finalizers: ['a.b/c'] } };
    await api.patch(ref, held, { type: 'merge' }, as(ADA));
    await create('one', workers(1));
    await api.remove(ref, {}, as(ADA));
    await expect(create('two')).rejects.toMatchObject({
      code: 'Forbidden',
      message: expect.stringMatching(/"two" is forbidden: .* Project "team-a" is being deleted\. Use another/),
      details: { reason: 'NamespaceTerminating' },
    });
    await patch('one', workers(2));
  });
});

describe('quotas', () => {
  it('count clusters, machines and their virtual CPUs, and say used, asked and limit', async () => {
    await project({ quotas: { clusters: 2, nodes: 6, vcpu: 20 } });
    await create('one', workers(3));
    const refused = create('two', workers(3));
    await expect(refused).rejects.toMatchObject({
      code: 'Forbidden',
      details: {
        reason: 'QuotaExceeded',
        causes: [
          { field: 'spec.nodePools', message: 'nodes: used 4, requested 4 more, limited to 6' },
          { field: 'spec.nodePools', message: 'vcpu: used 14, requested 14 more, limited to 20' },
        ],
      },
    });
    await expect(refused).rejects.toThrow(/exceeded quota of Project "team-a".*have a platform administrator raise/);
    await create('two');
    await expect(create('three')).rejects.toThrow('clusters: used 2, requested 1 more, limited to 2');
  });

  it('hold for growth, and for a dry run of it', async () => {
    await project({ quotas: { nodes: 3 } });
    await create('one', workers(2));
    await expect(patch('one', workers(3))).rejects.toThrow('nodes: used 3, requested 1 more, limited to 3');
    await expect(create('two', {}, true)).rejects.toMatchObject({ code: 'Forbidden' });
    await patch('one', workers(1));
    await create('two');
  });

  it('below what is used stop growth and nothing else', async () => {
    await project({ quotas: {} });
    await create('one', workers(5));
    await project({ quotas: { clusters: 0, nodes: 2, vcpu: 2 } });
    await patch('one', { paused: true });
    await patch('one', workers(4));
    await expect(patch('one', workers(5))).rejects.toThrow('nodes: used 5, requested 1 more, limited to 2');
    await expect(patch('one', workers(4, 'm5.2xlarge'))).rejects.toThrow('vcpu: used 18');
  });

  it('of virtual CPUs take known machine types only', async () => {
    await project({ quotas: {} });
    await create('one', workers(1, 'zz9.plural'));
    await project({ quotas: { vcpu: 100 } });
    await expect(create('two', workers(1, 'zz9.plural'))).rejects.toMatchObject({
      code: 'Forbidden',
      details: { causes: [{ field: 'spec.nodePools[0].machineType' }] },
    });
  });

  describe('of virtual CPUs, and a cluster that is changed', () => {
    const unknown = { code: 'Forbidden', details: { field: 'spec.nodePools[0].machineType' } };

    it.each([
      { how: 'a pool', spec: workers(2, 'zz9.plural'), field: 'spec.nodePools[0].machineType' },
      {
        how: 'the control plane',
        spec: { controlPlane: { machineType: 'zz9.plural' } },
        field: 'spec.controlPlane.machineType',
      },
    ])('take no unknown machine type for $how, though nothing else grows', async ({ spec, field }) => {
      await project({ quotas: { vcpu: 20 } });
      await create('one', workers(2));
      await expect(patch('one', spec)).rejects.toMatchObject({ code: 'Forbidden', details: { field } });
    });

    it('let no pool of an unknown type grow where another shrinks', async () => {
      const pools = (...replicas: readonly [number, number]): Record<string, unknown> => ({
        nodePools: ['zz9.plural', 'm5.large'].map((machineType, index) => ({
          ...{ name: `pool-${index}`, machineType },
          replicas: replicas[index],
        })),
      });
      await project({ quotas: {} });
      await create('one', pools(1, 5));
      await project({ quotas: { vcpu: 100 } });
      await expect(patch('one', pools(3, 1))).rejects.toMatchObject(unknown);
      await patch('one', pools(1, 6));
    });

    it('give a cluster the unknown type back that a plan had taken from it', async () => {
      await project({ quotas: { vcpu: 20 } });
      await create('one', workers(2));
      await takeBack('one', workers(2, 'zz9.plural'));
    });

    it('leave one alone that had an unknown type before', async () => {
      await project({ quotas: {} });
      await create('one', workers(2, 'zz9.plural'));
      await project({ quotas: { vcpu: 20 } });
      await patch('one', { paused: true });
      await patch('one', workers(1, 'zz9.plural'));
    });
  });

  it('are of a Project that exists', async () => {
    await expect(create('one')).rejects.toMatchObject({ code: 'NotFound' });
  });
});

describe('what a Project allows', () => {
  it.each([
    {
      list: { accounts: ['prod', 'test'] },
      field: 'spec.accountRef.name',
      text: '"sandbox": Project "team-a" allows: "prod", "test"',
    },
    {
      list: { regions: ['eu-central-1'] },
      field: 'spec.region',
      text: '"us-east-1": Project "team-a" allows: "eu-central-1"',
    },
    {
      list: { machineTypes: ['c5.*'] },
      field: 'spec.controlPlane.machineType',
      text: '"m5.large": Project "team-a" allows: "c5.*"',
    },
    { list: { classes: ['small'] }, field: 'spec.classRef.name', text: 'Project "team-a" allows: "small"' },
    { list: { regions: [] }, field: 'spec.region', text: 'allows: none' },
  ])('is said when something else is used: $field', async ({ list, field, text }) => {
    await project({ allowed: list });
    const refused = create('one');
    await expect(refused).rejects.toMatchObject({ code: 'Forbidden', details: { causes: [{ field }] } });
    await expect(refused).rejects.toThrow(text);
  });

  it('may be all that is used', async () => {
    await project({ allowed: { accounts: ['sand*'], regions: ['us-east-1'], machineTypes: ['m5.*'] } });
    await create('one', workers(1));
    await expect(patch('one', workers(1, 'c5.large'))).rejects.toMatchObject({
      details: { causes: [{ field: 'spec.nodePools[0].machineType' }] },
    });
  });

  it('stops no cluster that used it before', async () => {
    await project({});
    await create('one', workers(1));
    await project({ allowed: { accounts: [], regions: [], machineTypes: ['c5.large'], classes: ['small'] } });
    await patch('one', workers(2));
    await patch('one', { nodePools: [{ name: 'others', replicas: 1, machineType: 'c5.large' }] });
    await expect(patch('one', workers(1, 'r5.large'))).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('keeps no cluster from what it had before a plan that is taken back', async () => {
    await project({ allowed: { machineTypes: ['m5.*'] } });
    await create('one', workers(1));
    await takeBack('one', workers(1, 'c5.large'));
  });
});

describe('defaults of a Project', () => {
  const defaults = { accountRef: { name: 'paid' }, region: 'eu-central-1', classRef: { name: 'small' } };

  it('fill in what a new cluster leaves out, and nothing that it states', async () => {
    await project({ defaults });
    const filled = await create('one', { accountRef: undefined, region: undefined });
    expect(filled.spec).toMatchObject(defaults);
    const stated = await create('two', { classRef: { name: 'large' } });
    expect(stated.spec).toMatchObject({
      accountRef: { name: 'sandbox' },
      region: 'us-east-1',
      classRef: { name: 'large' },
    });
  });

  it('are checked as if they had been stated', async () => {
    await project({ defaults, allowed: { regions: ['us-east-1'] } });
    await expect(create('one', { region: undefined })).rejects.toMatchObject({ details: { field: 'spec.region' } });
  });

  it('leave what is required to be asked for when there are none', async () => {
    await project({});
    await expect(create('one', { region: undefined })).rejects.toMatchObject({ code: 'InvalidSpec' });
  });

  it('do not move an existing cluster, which keeps what a later document leaves out', async () => {
    await project({ defaults });
    await create('one', { accountRef: undefined, region: undefined, deletionProtection: true });
    await project({ defaults: { ...defaults, region: 'us-east-1', accountRef: { name: 'other' } } });
    const again = document('one', { accountRef: undefined, region: undefined });
    const ref = { ...CLUSTERS, namespace: 'team-a', name: 'one' };
    const { object } = await api.update(ref, again, {}, as(person('otto')));
    const { region, accountRef, deletionProtection } = (object as Cluster).spec;
    expect({ region, accountRef, deletionProtection }).toEqual({
      region: 'eu-central-1',
      accountRef: { name: 'paid' },
      deletionProtection: true,
    });
  });
});

describe('edits of a Project', () => {
  const anna = person('anna');
  const admins = [{ kind: 'User', name: 'anna', role: 'admin' }];

  it('by its administrators concern members, defaults and description', async () => {
    await project({ members: admins, quotas: { nodes: 3 } });
    const members = [...admins, { kind: 'Group', name: 'ops', role: 'operator' }];
    await project({ members, quotas: { nodes: 3 }, displayName: 'A', defaults: { region: 'us-east-1' } }, anna);
  });

  it.each([
    ['spec.quotas', { quotas: { nodes: 99 } }],
    ['spec.quotas', { quotas: {} }],
    ['spec.allowed', { quotas: { nodes: 3 }, allowed: { regions: ['us-east-1'] } }],
  ])('of %s are the platform’s', async (field, spec) => {
    await project({ quotas: { nodes: 3 } });
    await expect(project(spec, anna)).rejects.toMatchObject({ code: 'Forbidden', details: { causes: [{ field }] } });
    await project(spec);
  });

  it.each([
    [
      'spec.members',
      { members: [...admins, { kind: 'User', name: 'thief', role: 'admin' }], planApproval: 'AnotherPerson' },
    ],
    ['spec.planApproval', { members: admins, planApproval: 'AnyOperator' }],
  ])('of %s are not for API keys', async (field, spec) => {
    const machine = apiKey('team-a', 'admin');
    await project({ members: admins, planApproval: 'AnotherPerson' });
    await expect(project(spec, machine)).rejects.toMatchObject({ code: 'Forbidden', details: { causes: [{ field }] } });
    await project({ members: admins, planApproval: 'AnotherPerson', displayName: 'A' }, machine);
    await project(spec, anna);
  });

  it.each([anna, apiKey('team-a', 'admin')])('do not bring one into being: $user', async (caller) => {
    await expect(project({ members: admins }, caller)).rejects.toMatchObject({
      code: 'Forbidden',
      message:
        'projects.lifecycle.crate.dev "team-a" is forbidden: a Project is created by a platform administrator only',
    });
    await project({ members: admins }, { user: 'system:lifecycle', groups: [], service: 'lifecycle' });
  });

  it.each(['system:masters', 'system:apikey:team-b:x'])('do not make %s a member', async (name) => {
    const type = { group: PROJECT.group, version: PROJECT.version, plural: PROJECT.plural };
    const given = { kind: 'Project', apiVersion: 'lifecycle.crate.dev/v1alpha1', metadata: { name: 'team-a' } };
    const member = { ...given, spec: { members: [{ kind: 'Group', name, role: 'viewer' }] } };
    await expect(api.create(type, member as unknown as KubeObject, {}, as(ADA))).rejects.toMatchObject({
      code: 'InvalidSpec',
    });
  });
});
