import { describe, expect, it } from '@jest/globals';
import type { AddOn } from '@crate/api';
import { anAddOn, anInstallation } from '../../testing/a-cluster.js';
import { addOnChanges } from './add-on-changes.js';

const docs: AddOn = anAddOn('docs');
docs.spec.valuesSchema = { type: 'object', properties: { size: { type: 'integer', default: 1 } } };
docs.spec.manifests = docs.spec.manifests.map((each) => ({ ...each, size: '${values.size}' }));
const installed = anInstallation('docs');
installed.spec.manifests = anAddOn('docs').spec.manifests.map((each) => ({ ...each, size: 1 }));

describe('what becomes of add-ons', () => {
  it.each([
    { reason: 'nothing, when they are as they should be', asked: {}, want: [] },
    {
      reason: 'another configuration of the same version',
      asked: { values: { size: 2 } },
      want: [{ name: 'docs', change: 'configure', from: '1.0.0', to: '1.0.0' }],
    },
  ])('$reason', ({ asked, want }) => {
    expect(addOnChanges([installed], [docs], [{ name: 'docs', ...asked }])).toEqual(want);
  });

  it('is told in the order in which it is done', () => {
    const newer = { ...docs, spec: { ...docs.spec, version: '1.1.0' } };
    expect(addOnChanges([installed, anInstallation('old')], [newer, anAddOn('new')], [{ name: 'docs' }])).toEqual([
      { name: 'old', change: 'remove', from: '1.0.0' },
      { name: 'docs', change: 'upgrade', from: '1.0.0', to: '1.1.0' },
      { name: 'new', change: 'install', to: '1.0.0' },
    ]);
  });
});
