import { describe, expect, it } from '@jest/globals';
import type { AddOn } from '@crate/api';
import { anAddOn } from '../testing/a-cluster.js';
import { atVersion, earlierAfter, versionsOf } from './add-on.versions.js';

function specAt(version: string, earlier: readonly string[] = []): AddOn['spec'] {
  const { spec } = anAddOn('docs');
  const { dependsOn, manifests } = spec;
  return { ...spec, version, earlier: earlier.map((each) => ({ version: each, dependsOn, manifests })) };
}

const after = (now: string, before: AddOn['spec'], inUse: string[] = []): readonly string[] =>
  earlierAfter(specAt(now), before, new Set(inUse)).map(({ version }) => version);

describe('versions of an add-on', () => {
  const docs = { ...anAddOn('docs'), spec: specAt('1.2.0', ['1.1.0', '1.0.0']) };

  it('are offered the newest first, and are what they were', () => {
    expect(versionsOf(docs)).toEqual(['1.2.0', '1.1.0', '1.0.0']);
    expect(atVersion(docs, undefined)).toBe(docs);
    expect(atVersion(docs, '1.0.0')?.spec).toMatchObject({ version: '1.0.0', displayName: 'docs' });
    expect(atVersion(docs, '0.9.0')).toBeUndefined();
  });

  it.each([
    { reason: 'the one before is kept', now: '1.3.0', inUse: [], want: ['1.2.0', '1.1.0', '1.0.0'] },
    { reason: 'a change within a version keeps none of it', now: '1.2.0', inUse: [], want: ['1.1.0', '1.0.0'] },
    { reason: 'one that comes back is the newest, and stands once', now: '1.0.0', inUse: [], want: ['1.2.0', '1.1.0'] },
  ])('are kept: $reason', ({ now, inUse, want }) => {
    expect(after(now, docs.spec, inUse)).toEqual(want);
  });

  it('are forgotten when there are many, unless a cluster stays on them', () => {
    const old = specAt('7.0.0', ['6.0.0', '5.0.0', '4.0.0', '3.0.0', '2.0.0', '1.0.0']);
    expect(after('8.0.0', old)).toEqual(['7.0.0', '6.0.0', '5.0.0', '4.0.0', '3.0.0']);
    expect(after('8.0.0', old, ['1.0.0'])).toEqual(['7.0.0', '6.0.0', '5.0.0', '4.0.0', '3.0.0', '1.0.0']);
  });
});
