import { describe, expect, it } from '@jest/globals';
import type { AddOn } from '@crate/api';
import { clusterFacts } from '../../add-on/add-on.facts.js';
import { aCluster, anAddOn, anInstallation } from '../../testing/a-cluster.js';
import { addOnChanges } from './add-on-changes.js';

const docs: AddOn = anAddOn('docs');
docs.spec.valuesSchema = { type: 'object', properties: { size: { type: 'integer', default: 1 } } };
docs.spec.manifests = docs.spec.manifests.map((each) => ({ ...each, size: '${values.size}' }));
const installed = anInstallation('docs');
installed.spec.manifests = anAddOn('docs').spec.manifests.map((each) => ({ ...each, size: 1 }));

const facts = clusterFacts(aCluster(), { provider: 'aws' });
type Asked = Parameters<typeof addOnChanges>[2];

function stating(request: Asked['asked'][number]): Asked {
  return { asked: [request], facts };
}

describe('what becomes of add-ons', () => {
  it.each([
    { reason: 'nothing, when they are as they should be', asked: {}, want: [] },
    {
      reason: 'another configuration of the same version',
      asked: { values: { size: 2 } },
      want: [{ name: 'docs', change: 'configure', from: '1.0.0', to: '1.0.0' }],
    },
  ])('$reason', ({ asked, want }) => {
    expect(addOnChanges([installed], [docs], stating({ name: 'docs', ...asked }))).toEqual(want);
  });

  it('is another configuration when a fact has changed, and nothing that is claimed while facts are not known', () => {
    const told = anAddOn('told');
    told.spec.valuesSchema = { type: 'object', properties: {} };
    told.spec.manifests = told.spec.manifests.map((each) => ({ ...each, on: '${cluster.kubernetesVersion}' }));
    const present = anInstallation('told');
    present.spec.manifests = anAddOn('told').spec.manifests.map((each) => ({ ...each, on: 'v1.30.8' }));
    const asked = [{ name: 'told' }];
    expect(addOnChanges([present], [told], { asked, facts })).toMatchObject([{ name: 'told', change: 'configure' }]);
    expect(addOnChanges([present], [told], { asked, facts: undefined })).toEqual([]);
    const older = { ...facts, kubernetesVersion: 'v1.30.8' };
    expect(addOnChanges([present], [told], { asked, facts: older })).toEqual([]);
  });

  it('is told in the order in which it is done', () => {
    const newer = { ...docs, spec: { ...docs.spec, version: '1.1.0' } };
    expect(
      addOnChanges([installed, anInstallation('old')], [newer, anAddOn('new')], stating({ name: 'docs' })),
    ).toEqual([
      { name: 'old', change: 'remove', from: '1.0.0' },
      { name: 'docs', change: 'upgrade', from: '1.0.0', to: '1.1.0' },
      { name: 'new', change: 'install', to: '1.0.0' },
    ]);
  });
});
