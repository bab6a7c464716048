import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ADD_ON_INSTALLATION, CLUSTER_UID_LABEL, type AddOnInstallation } from '@crate/api';
import { installationSpec } from '../testing/builders.js';
import { KEY, LocalClients } from '../testing/local-clients.js';
import { addOnsOfCluster } from './add-ons-of-cluster.js';

const MADE = { ...KEY, labels: { [CLUSTER_UID_LABEL]: 'first' } };

let local: LocalClients;
beforeEach(async () => {
  local = new LocalClients();
  await install('labelled', { label: 'first' });
  await install('by-hand');
  await install('of-another', { label: 'other', cluster: 'another' });
  await install('of-an-earlier', { label: 'earlier' });
  await install('by-hand-of-another', { cluster: 'another' });
});

async function install(name: string, of: { label?: string; cluster?: string } = {}): Promise<void> {
  const labels = of.label === undefined ? {} : { [CLUSTER_UID_LABEL]: of.label };
  await local.create<AddOnInstallation>(ADD_ON_INSTALLATION, {
    metadata: { name, labels } as AddOnInstallation['metadata'],
    spec: { ...installationSpec(), clusterRef: { name: of.cluster ?? KEY.name } },
  });
}

describe('the add-ons of a cluster', () => {
  it.each([
    { cluster: 'with a label', given: MADE, want: ['by-hand', 'labelled'] },
    { cluster: 'without one', given: KEY, want: ['by-hand', 'labelled', 'of-an-earlier'] },
  ])(
    'are those that name it, unless they were made for an earlier one of its name: $cluster',
    async ({ given, want }) => {
      const found = await addOnsOfCluster(local.installations, given);
      expect(found.map(({ metadata }) => metadata.name).sort()).toEqual(want);
    },
  );

  it('are found without a look at those of all other clusters of the Project', async () => {
    for (let index = 0; index < 10; index += 1) await install(`other-${index}`, { label: 'other', cluster: 'another' });
    const list = jest.spyOn(local.api, 'list');
    await addOnsOfCluster(local.installations, MADE);

    const pages = await Promise.all(
      list.mock.results.map(({ value }) => value as ReturnType<LocalClients['api']['list']>),
    );
    const read = pages.flatMap(({ items }) => items.map(({ metadata }) => metadata.name));
    expect(read).toEqual(['labelled', 'by-hand', 'by-hand-of-another']);
  });

  it('are found once, when one loses its label between two looks', async () => {
    const list = local.installations.list.bind(local.installations);
    jest.spyOn(local.installations, 'list').mockImplementation(async (options) => {
      const found = await list(options);
      await local.installations.merge('labelled', KEY.namespace, {
        metadata: { labels: { [CLUSTER_UID_LABEL]: null } },
      });
      return found;
    });
    const found = await addOnsOfCluster(local.installations, MADE);
    expect(found.map(({ metadata }) => metadata.name)).toEqual(['labelled', 'by-hand']);
  });
});
