import { describe, expect, it } from '@jest/globals';
import { strategicMerge } from './strategic-merge.js';

const POD = {
  metadata: { labels: { a: '1' }, finalizers: ['x/y'] },
  spec: {
    containers: [
      { name: 'web', image: 'nginx:1', ports: [{ containerPort: 80 }, { containerPort: 81 }], args: ['a', 'b'] },
      { name: 'side', image: 'side:1' },
    ],
    tolerations: [{ key: 'a' }],
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
  },
};

describe('strategicMerge', () => {
  it.each([
    {
      name: 'merges maps and drops what is null',
      patch: { metadata: { labels: { a: null, b: '2' } } },
      want: { metadata: { labels: { b: '2' } } },
    },
    {
      name: 'merges lists by their key',
      patch: { spec: { containers: [{ name: 'web', image: 'nginx:2' }] } },
      want: {
        spec: {
          containers: [
            { name: 'web', image: 'nginx:2', args: ['a', 'b'] },
            { name: 'side', image: 'side:1' },
          ],
        },
      },
    },
    {
      name: 'adds items with a new key',
      patch: { spec: { containers: [{ name: 'new', image: 'n' }] } },
      want: { spec: { containers: [{ name: 'web' }, { name: 'side' }, { name: 'new', image: 'n' }] } },
    },
    {
      name: 'deletes items by directive',
      patch: { spec: { containers: [{ name: 'side', $patch: 'delete' }] } },
      want: { spec: { containers: [{ name: 'web' }] } },
    },
    {
      name: 'replaces a list by directive',
      patch: { spec: { containers: [{ $patch: 'replace' }, { name: 'only', image: 'o' }] } },
      want: { spec: { containers: [{ name: 'only', image: 'o' }] } },
    },
    {
      name: 'merges nested lists',
      patch: { spec: { containers: [{ name: 'web', ports: [{ containerPort: 80, name: 'http' }] }] } },
      want: { spec: { containers: [{ ports: [{ containerPort: 80, name: 'http' }, { containerPort: 81 }] }, {}] } },
    },
    {
      name: 'puts items in the order asked for',
      patch: { spec: { $setElementOrder: [], '$setElementOrder/containers': [{ name: 'side' }, { name: 'web' }] } },
      want: { spec: { containers: [{ name: 'side' }, { name: 'web' }] } },
    },
    {
      name: 'replaces lists without a key',
      patch: { spec: { tolerations: [{ key: 'b' }], containers: [{ name: 'web', args: ['c'] }] } },
      want: { spec: { tolerations: [{ key: 'b' }], containers: [{ args: ['c'] }, {}] } },
    },
    {
      name: 'takes values out of a set',
      patch: { metadata: { '$deleteFromPrimitiveList/finalizers': ['x/y'], finalizers: ['z/z'] } },
      want: { metadata: { finalizers: ['z/z'] } },
    },
    {
      name: 'keeps only what $retainKeys names',
      patch: { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
      want: { spec: { strategy: { type: 'Recreate' } } },
    },
  ])('$name', ({ patch, want }) => {
    expect(strategicMerge(POD, patch)).toMatchObject(want);
  });

  it('leaves nothing of what was taken away, and never a directive', () => {
    const merged = strategicMerge(POD, {
      metadata: { labels: { a: null } },
      spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' }, containers: [{ name: 'side', $patch: 'delete' }] },
    });

    expect(JSON.stringify(merged)).not.toContain('$');
    expect(JSON.stringify(merged)).not.toContain('rollingUpdate');
    expect(merged).toMatchObject({ metadata: { labels: {} } });
  });

  it('changes nothing when stated twice', () => {
    const patch = { spec: { containers: [{ name: 'web', ports: [{ containerPort: 80, name: 'http' }] }] } };
    const once = strategicMerge(POD, patch);

    expect(strategicMerge(once, patch)).toEqual(once);
  });
});
