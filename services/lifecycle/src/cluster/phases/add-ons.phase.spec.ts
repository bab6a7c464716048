import { ADD_ON, type AddOn, type Cluster } from '@crate/api';
import { beforeEach, describe, expect, it } from '@jest/globals';
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
