import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ADD_ON_INSTALLATION, CLUSTER_UID_LABEL, PAUSED_ANNOTATION, type AddOnInstallation } from '@crate/api';
import { aCluster, anInstallation } from '../testing/a-cluster.js';
import { InMemoryPlatform } from '../testing/in-memory-platform.js';
import { listChildren } from './cluster.children.js';
import { ensureChild, ensureKnownChild } from './cluster.known-child.js';

const owner = { cluster: aCluster(), provider: 'aws' };
const name = 'demo-docs';
const { spec } = anInstallation('docs');

let platform: InMemoryPlatform;
beforeEach(async () => {
  platform = new InMemoryPlatform();
  await ensureChild(platform.installations, owner, { name, spec });
});

async function known(): Promise<AddOnInstallation> {
  return (await listChildren(platform.installations, owner.cluster))[0]!;
}

/** How many times something was sent. */
async function stated(what: object = spec, by = owner, annotations = {}): Promise<number> {
  const patch = jest.spyOn(platform.api, 'patch').mockClear();
  const child = await ensureKnownChild(platform.installations, by, await known(), { name, spec: what, annotations });
  expect(child).toEqual(await known());
  return patch.mock.calls.length;
}

async function changeByHand(change: object): Promise<void> {
  await platform.for(ADD_ON_INSTALLATION).merge('demo-docs', 'team-a', change);
}

describe('a child that is known', () => {
  it('is not told what it says already', async () => {
    expect(await stated()).toBe(0);
    await platform.installations.saveStatus(await known(), { conditions: [] });
    expect(await stated()).toBe(0);
  });

  it('is told what is another now, and what is asked for no longer', async () => {
    expect(await stated({ ...spec, unasked: true })).toBe(1);
    expect(await stated()).toBe(1);
    expect((await known()).spec).toEqual(spec);
    const labels = { team: 'a' };
    const cluster = { ...owner.cluster, metadata: { ...owner.cluster.metadata, labels } };
    expect(await stated(spec, { ...owner, cluster })).toBe(1);
    expect((await known()).metadata.labels).toMatchObject(labels);
    expect(await stated()).toBe(1);
    expect((await known()).metadata.labels).not.toMatchObject(labels);
  });

  it.each([
    { what: 'its version', change: { spec: { version: '0.9.0' } } },
    { what: 'who owns it', change: { metadata: { ownerReferences: [] } } },
  ])('is told where somebody changed $what', async ({ change }) => {
    await changeByHand(change);
    expect(await stated()).toBe(1);
    expect((await known()).spec).toEqual(spec);
    expect((await known()).metadata.ownerReferences).toHaveLength(1);
  });

  it('is told where somebody changed it and took that back: it is to be ours', async () => {
    await changeByHand({ spec: { version: '0.9.0' } });
    await changeByHand({ spec: { version: spec.version } });
    expect(await stated()).toBe(1);
  });

  it("is told annotations that are others now, and no one else's", async () => {
    await changeByHand({ metadata: { annotations: { 'example.com/seen': 'yes' } } });
    expect(await stated()).toBe(0);
    const asked = { 'crate.dev/check-drift': '1' };
    expect(await stated(spec, owner, asked)).toBe(1);
    expect(await stated(spec, owner, asked)).toBe(0);
    await changeByHand({ metadata: { annotations: { 'crate.dev/check-drift': '2' } } });
    expect(await stated(spec, owner, asked)).toBe(1);
    expect((await known()).metadata.annotations).toEqual({ 'example.com/seen': 'yes', ...asked });
    expect(await stated()).toBe(1);
    expect((await known()).metadata.annotations).toEqual({ 'example.com/seen': 'yes' });
    expect(await stated()).toBe(0);
  });

  it('goes on where it was held', async () => {
    await changeByHand({ metadata: { annotations: { [PAUSED_ANNOTATION]: 'true' } } });
    expect(await stated()).toBe(1);
    expect((await known()).metadata.annotations).toBeUndefined();
  });

  it('is not another one by now', async () => {
    const before = await known();
    await platform.installations.remove('demo-docs', 'team-a');
    await ensureChild(platform.installations, owner, { name, spec });
    const statement = { name, spec: { ...spec, version: '2.0.0' } };
    const told = ensureKnownChild(platform.installations, owner, before, statement);
    await expect(told).rejects.toMatchObject({ code: 'Conflict' });
    expect((await known()).metadata.labels?.[CLUSTER_UID_LABEL]).toBe('uid-demo');
  });
});
