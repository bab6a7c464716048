import { ADD_ON, CLUSTER_DELETION_ANNOTATION, type AddOn, type Cluster } from '@crate/api';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { anAddOn, anInstallation, heldUp } from '../../testing/a-cluster.js';
import { InMemoryPlatform } from '../../testing/in-memory-platform.js';

let platform: InMemoryPlatform;
beforeEach(async () => {
  platform = new InMemoryPlatform();
});

async function turns(count = 10): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await platform.pass();
    await platform.settleChildren();
  }
}

async function cluster(): Promise<Cluster> {
  return (await platform.clusters.find('demo', 'team-a'))!;
}

async function installed(): Promise<string[]> {
  return (await platform.installations.list({ namespace: 'team-a' }))
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ spec }) => `${spec.addOn} ${spec.version}`)
    .sort();
}

/** The catalogue has it like this from now on. */
async function offer(name: string, spec: Partial<AddOn['spec']>): Promise<void> {
  await platform.for(ADD_ON).merge(name, undefined, { spec });
}

describe('add-ons that are as they should be', () => {
  it('are read once in a pass, and told nothing', async () => {
    await platform.start();
    await turns();
    const [get, patch] = [jest.spyOn(platform.api, 'get'), jest.spyOn(platform.api, 'patch')];
    expect(await platform.pass()).toMatchObject({ kind: 'settled' });
    const toAddOns = [...get.mock.calls, ...patch.mock.calls].filter(([{ plural }]) => plural === 'addoninstallations');
    expect(toAddOns).toEqual([]);
  });
});

describe('an add-on that the cluster does not want', () => {
  beforeEach(async () => {
    await offerNothingNeeded();
    await turns();
  });
  const offerNothingNeeded = async (): Promise<void> => {
    await platform.start({ addOns: [{ name: 'baseline', enabled: false }, { name: 'docs' }] });
    await offer('docs', { dependsOn: [] });
  };

  it('is not installed when another one comes to need it: the cluster says so, and nothing is touched', async () => {
    expect(await installed()).toEqual(['docs 1.0.0']);
    await offer('docs', { version: '2.0.0', dependsOn: ['baseline'] });
    await turns();
    expect(await installed()).toEqual(['docs 1.0.0']);
    expect((await cluster()).status?.failure).toMatchObject({
      ...{ code: 'AddOnNeeded', field: 'spec.addOns[0].enabled', retryable: false },
      message: 'Add-on "baseline" is not wanted, and add-on "docs" needs it',
      remedy: 'Leave out "docs" as well, or let the cluster have "baseline"',
    });
  });
});

describe('an add-on that another one no longer needs in its next version', () => {
  /** What cluster-mgmt has put into the cluster. */
  const applied = async (version: string): Promise<void> => {
    const found = (await platform.installations.find('demo-docs', 'team-a'))!;
    await platform.installations.saveStatus(found, { ...found.status, version });
  };
  beforeEach(async () => {
    await platform.start();
    await platform.for(ADD_ON).ensure({ metadata: { name: 'base' }, spec: anAddOn('base').spec }, 'test');
    await offer('baseline', { dependsOn: ['base'] });
    await turns();
    await applied('1.0.0');
    const { dependsOn, manifests, version } = anAddOn('docs', 'baseline').spec;
    await offer('docs', { version: '2.0.0', dependsOn: [], earlier: [{ version, dependsOn, manifests }] });
  });

  it('stays, with what it needs itself, until that is installed', async () => {
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForAddOns' });
    expect(await installed()).toEqual(['base 1.0.0', 'baseline 1.0.0', 'docs 2.0.0']);
    await platform.pass();
    expect(await installed()).toEqual(['base 1.0.0', 'baseline 1.0.0', 'docs 2.0.0']);

    await platform.settleChildren();
    await applied('2.0.0');
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForAddOnRemoval' });
    expect(await installed()).toEqual(['base 1.0.0', 'docs 2.0.0']);
    await turns();
    expect(await installed()).toEqual(['docs 2.0.0']);
  });

  it('goes at once with the one that needed it', async () => {
    await platform.clusters.merge('demo', 'team-a', { spec: { addOns: [] } });
    await platform.pass();
    expect(await installed()).toEqual(['base 1.0.0', 'baseline 1.0.0']);
  });
});

describe('an add-on whose upgrade is under way when the cluster goes', () => {
  it.each([
    { reason: 'the next version came to need', before: [], after: ['baseline'] },
    { reason: 'only the version before needs', before: ['baseline'], after: [] },
  ])('goes before what $reason: parts of both may be there', async ({ before, after }) => {
    await platform.start({ addOns: [{ name: 'baseline' }, { name: 'docs' }] });
    await offer('docs', { dependsOn: before });
    await turns();
    const found = (await platform.installations.find('demo-docs', 'team-a'))!;
    await platform.installations.saveStatus(found, { ...found.status, version: '1.0.0' });
    const { manifests, version } = anAddOn('docs').spec;
    await offer('docs', { version: '2.0.0', dependsOn: after, earlier: [{ version, dependsOn: before, manifests }] });
    await platform.pass();
    expect(await installed()).toEqual(['baseline 1.0.0', 'docs 2.0.0']);

    await platform.clusters.remove('demo', 'team-a');
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForAddOnRemoval' });
    expect(await installed()).toEqual(['baseline 1.0.0']);
  });
});

describe('an add-on whose cluster goes', () => {
  it('may have gone before it is told', async () => {
    await platform.start();
    await turns();
    await platform.clusters.remove('demo', 'team-a');
    const patch = platform.api.patch.bind(platform.api);
    jest.spyOn(platform.api, 'patch').mockImplementationOnce(async (...args) => {
      await platform.installations.remove('demo-docs', 'team-a');
      return patch(...args);
    });
    expect(await platform.pass()).toMatchObject({ kind: 'waiting' });
  });

  it('is told so before it is asked to go, and once', async () => {
    await platform.start();
    await turns();
    const finalizers = ['cluster.crate.dev/addoninstallations'];
    await platform.installations.merge('demo-docs', 'team-a', { metadata: { finalizers } });
    await platform.clusters.remove('demo', 'team-a');
    await platform.pass();
    const { metadata } = (await platform.installations.find('demo-docs', 'team-a'))!;
    const { deletionTimestamp } = (await cluster()).metadata;
    expect(metadata).toMatchObject({
      deletionTimestamp: expect.any(String) as unknown,
      annotations: { [CLUSTER_DELETION_ANNOTATION]: deletionTimestamp },
    });

    await platform.pass();
    const { resourceVersion } = (await platform.installations.find('demo-docs', 'team-a'))!.metadata;
    expect(resourceVersion).toBe(metadata.resourceVersion);
  });
});

describe('an add-on that does not go for now', () => {
  const FOREIGN = 'argocd.example/finalizer';
  const setAddOns = (...addOns: readonly object[]): Promise<unknown> =>
    platform.clusters.merge('demo', 'team-a', { spec: { addOns } });
  beforeEach(async () => {
    await platform.start({ addOns: [{ name: 'docs' }] });
    for (const addOn of [anAddOn('driver'), anAddOn('backup', 'driver')]) {
      await platform.for(ADD_ON).ensure({ metadata: { name: addOn.metadata.name }, spec: addOn.spec }, 'test');
    }
    await setAddOns({ name: 'driver' });
    await turns();
    const finalizers = ['cluster.crate.dev/addoninstallations', FOREIGN];
    await platform.installations.merge('demo-driver', 'team-a', { metadata: { finalizers } });
    await setAddOns();
    await platform.pass();
    const found = (await platform.installations.find('demo-driver', 'team-a'))!;
    await platform.installations.saveStatus(found, heldUp('driver').status);
  });

  it('is awaited for as long as its objects may be going by themselves: what comes next may state them, too', async () => {
    const found = (await platform.installations.find('demo-driver', 'team-a'))!;
    const { deletion } = heldUp('driver').status!;
    const since = new Date().toISOString();
    const blockers = deletion!.blockers.map((each) => ({ ...each, reason: 'StillThere', since }));
    await platform.installations.saveStatus(found, { ...found.status, deletion: { ...deletion!, blockers } });
    await setAddOns({ name: 'docs' });
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForAddOnRemoval' });
    expect(await installed()).not.toContain('docs 1.0.0');
  });

  it('stops no other one', () => expectOthersToGoOn());

  it('stops no other one either where somebody else holds it, and nothing of it is in the way any more', async () => {
    const found = (await platform.installations.find('demo-driver', 'team-a'))!;
    const deletion = { ...heldUp('driver').status!.deletion!, blockers: [] };
    await platform.installations.saveStatus(found, { ...found.status!, deletion });
    const metadata = { finalizers: [FOREIGN] };
    await platform.installations.merge('demo-driver', 'team-a', { metadata });
    await expectOthersToGoOn();
  });

  it('is awaited by those that need it when it is asked for again, and by no others', async () => {
    await setAddOns({ name: 'backup' }, { name: 'docs' });
    await platform.pass();
    await settle('demo-baseline');
    await platform.pass();
    await settle('demo-docs');
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForAddOnRemoval' });
    expect(await installed()).toEqual(['baseline 1.0.0', 'docs 1.0.0']);

    await platform.installations.merge('demo-driver', 'team-a', { metadata: { finalizers: [] } });
    await turns();
    expect(await installed()).toEqual(['backup 1.0.0', 'baseline 1.0.0', 'docs 1.0.0', 'driver 1.0.0']);
  });

  async function expectOthersToGoOn(): Promise<void> {
    await setAddOns({ name: 'docs' });
    for (let pass = 0; pass < 3; pass += 1) {
      expect(await platform.pass()).toMatchObject({ kind: 'waiting' });
      for (const name of ['demo-baseline', 'demo-docs']) await settle(name);
    }
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForAddOnRemoval' });
    expect(await installed()).toEqual(['baseline 1.0.0', 'docs 1.0.0']);
  }

  async function settle(name: string): Promise<void> {
    const found = await platform.installations.find(name, 'team-a');
    if (found) await platform.installations.saveStatus(found, anInstallation('any').status);
  }
});

describe('an add-on that is for clusters of another cloud', () => {
  it('is not brought along by another one that comes to need it: the cluster says so, and keeps what it has', async () => {
    await platform.start({ addOns: [{ name: 'docs' }] });
    await turns();
    const { spec } = anAddOn('driver');
    await platform.for(ADD_ON).ensure({ metadata: { name: 'driver' }, spec: { ...spec, providers: ['aws'] } }, 'test');
    await offer('docs', { version: '2.0.0', dependsOn: ['baseline', 'driver'] });
    await turns(2);
    expect(await installed()).toEqual(['baseline 1.0.0', 'docs 1.0.0']);
    expect((await cluster()).status?.failure).toMatchObject({
      ...{ code: 'AddOnUnsuited', field: 'spec.addOns', remedy: 'Leave out "docs"' },
      message: 'Add-on "driver" is for clusters in aws; this one is in sandbox-aws, and add-on "docs" needs it',
    });
  });
});
