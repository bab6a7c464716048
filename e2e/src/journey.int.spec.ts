import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AddOnInstallation } from '@crate/api';
import { isPlatformError, type PlatformError } from '@crate/errors';
import { HttpTargetCluster } from '@crate/kubernetes';
import { CratePlatform, eventually } from '@crate/testing';
import { CrateUser } from './crate-user.js';
import { StoredRows } from './stored-rows.js';

let platform: CratePlatform;
let user: CrateUser;
beforeAll(async () => {
  platform = await CratePlatform.start();
  user = await CrateUser.of(platform);
});
afterAll(async () => platform?.remove());

async function instanceIds(): Promise<string[]> {
  const inventory = await platform.inventory();
  return inventory.filter(({ type }) => type === 'aws_instance').map(({ id }) => id);
}

function isAboutTheCluster(event: Record<string, unknown>): boolean {
  return (event['involvedObject'] as { kind?: string }).kind === 'Cluster';
}

async function scaleWorkers(replicas: number): Promise<void> {
  await user.applyQuickstart('demo', (spec) => {
    spec['nodePools'] = [{ name: 'workers', replicas, machineType: 'm5.xlarge' }];
  });
}

async function refusal(change: (spec: Record<string, unknown>) => void): Promise<PlatformError> {
  try {
    await user.applyQuickstart('refused', change);
  } catch (error) {
    if (isPlatformError(error)) return error;
    throw error;
  }
  throw new Error('The document was accepted');
}

describe('a document that cannot be', () => {
  it.each([
    {
      name: 'a wrong type',
      change: { network: { availabilityZones: 'three' } },
      field: 'spec.network.availabilityZones',
    },
    { name: 'a bad CIDR', change: { network: { vpcCidr: '10.20.0.1/16' } }, field: 'spec.network.vpcCidr' },
    { name: 'an even control plane', change: { controlPlane: { replicas: 2 } }, field: 'spec.controlPlane.replicas' },
    { name: 'an unknown account', change: { accountRef: { name: 'nobody' } }, field: 'spec.accountRef.name' },
    { name: 'an unknown add-on', change: { addOns: [{ name: 'nothing' }] }, field: 'spec.addOns[0].name' },
    {
      name: 'an unsupported version',
      change: { kubernetes: { version: 'v1.19.0' } },
      field: 'spec.kubernetes.version',
    },
  ])('with $name is refused by field', async ({ change, field }) => {
    const error = await refusal((spec) => Object.assign(spec, change));

    expect(error.code).toBe('InvalidSpec');
    expect(error.details.causes?.map((cause) => cause.field)).toContain(field);
    expect(await user.find('refused')).toBeUndefined();
  });

  it('names every bad field at once', async () => {
    const error = await refusal((spec) =>
      Object.assign(spec, { controlPlane: { replicas: 2 }, network: { vpcCidr: '10.20.0.1/16' } }),
    );

    expect(error.details.causes?.map((cause) => cause.field).sort()).toEqual([
      'spec.controlPlane.replicas',
      'spec.network.vpcCidr',
    ]);
  });

  it('with an unknown field is refused and names it', async () => {
    const error = await refusal((spec) => Object.assign(spec, { regionn: 'us-east-1' }));

    expect(['BadRequest', 'InvalidSpec']).toContain(error.code);
    expect(error.message).toContain('spec.regionn');
  });

  it('that breaks a rule is denied with rule, level, field and remedy', async () => {
    const error = await refusal((spec) => Object.assign(spec, { region: 'xx-nowhere-1' }));

    expect(error.code).toBe('Forbidden');
    expect(error.details.causes?.[0]).toMatchObject({ field: 'spec.region' });
    expect(error.message).toMatch(/policy cluster-region-allowed, level must/);
  });

  it('is refused in a Project that does not exist', async () => {
    const project = {
      apiVersion: 'cloud.crate.dev/v1alpha1',
      kind: 'CloudAccount',
      metadata: { name: 'a', namespace: 'nobody' },
    };

    await expect(user.apply({ ...project, spec: { provider: 'sandbox-aws' } })).rejects.toMatchObject({
      code: 'NotFound',
    });
  });
});

describe('the journey of a cluster', () => {
  it('comes up, with nodes and add-ons in its own API', async () => {
    await user.applyQuickstart();
    const cluster = await user.untilReady();

    expect(cluster.status?.nodes).toEqual({ ready: 5, desired: 5 });
    expect(cluster.status?.addOns?.map(({ name, ready }) => [name, ready])).toEqual([
      ['baseline', true],
      ['docs', true],
    ]);
    const target = new HttpTargetCluster(await platform.crate('kubeconfig', 'demo', '-n', 'team-a'));
    expect((await target.nodes()).filter((node) => node.ready)).toHaveLength(5);
    await target.close();
  });

  it('has told its whole story, step by step', async () => {
    // Each service tells its part, and none waits for another.
    await eventually(async () => {
      const events = await user.api.list('v1', 'Event', { namespace: 'team-a' });
      const story = events.items.filter(isAboutTheCluster).map(({ reason }) => String(reason));
      expect(story).toEqual(
        expect.arrayContaining([
          'PolicyCompliant',
          'TerraformPlanned',
          'TerraformApplied',
          'KubernetesApplied',
          'NodeReady',
          'Ready',
        ]),
      );
      expect(story.filter((reason) => reason === 'AddOnInstalled')).toHaveLength(2);
    });
  });

  it('shows what Terraform and the engine printed as one log, and what was planned', async () => {
    const log = await platform.crate('logs', 'cluster/demo', '-n', 'team-a', '--follow');
    expect(log).toMatch(/^\[terraform\] === terraform apply, run /);
    expect(log.indexOf('[terraform] Apply complete!')).toBeLessThan(log.indexOf('[rke] === rke up, run '));
    expect(log).toMatch(/\[rke\] === run succeeded\n$/);
    expect((await platform.crate('logs', 'demo', '-n', 'team-a', '--tail', '3')).trimEnd().split('\n')).toEqual(
      log.trimEnd().split('\n').slice(-3),
    );
    const plan = await platform.crate('plan', 'demo', '-n', 'team-a');
    expect(plan).toMatch(/^Infrastructure "demo", generation 1\nApply, begun .*: applied\n/);
    expect(plan).toContain(' + aws_instance.demo-workers-0 (create)');
  });

  it('creates just the two new machines when it scales from 2 to 4', async () => {
    const before = await instanceIds();
    await scaleWorkers(4);
    const cluster = await user.untilReady();
    const after = await instanceIds();

    expect(cluster.status?.nodes).toEqual({ ready: 7, desired: 7 });
    expect(after).toEqual(expect.arrayContaining(before));
    expect(after).toHaveLength(before.length + 2);
  });

  it('removes the machines with the highest numbers when it scales down', async () => {
    const before = await instanceIds();
    await scaleWorkers(3);
    await user.untilReady();

    expect(await instanceIds()).toHaveLength(before.length - 1);
  });

  it('takes add-ons away', async () => {
    await user.applyQuickstart('demo', (spec) => {
      spec['addOns'] = [];
      spec['nodePools'] = [{ name: 'workers', replicas: 3, machineType: 'm5.xlarge' }];
    });
    await user.untilReady();

    const left = await user.api.list('cluster.crate.dev/v1alpha1', 'AddOnInstallation');
    expect(left.items as readonly AddOnInstallation[]).toEqual([]);
  });

  it('leaves nothing behind when it is deleted', async () => {
    await user.delete();
    await user.untilGone();

    expect(await platform.inventory()).toEqual([]);
    const rows = await StoredRows.open(await platform.databaseUrl());
    try {
      expect(await rows.count('cloud_mgmt', 'secret_versions')).toBe(0);
      expect(await rows.count('cluster_mgmt', 'secret_versions')).toBe(0);
      expect(await rows.count('lifecycle', 'resources', "kind = 'Cluster'")).toBe(0);
      expect(await rows.count('cloud_mgmt', 'resources', "kind = 'Infrastructure'")).toBe(0);
      expect(await rows.count('cluster_mgmt', 'resources')).toBe(0);
    } finally {
      await rows.close();
    }
  });
});
