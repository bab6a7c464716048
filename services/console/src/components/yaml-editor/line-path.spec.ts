import { describe, expect, it } from '@jest/globals';
import { placeAt } from './line-path.js';

/** The place of `|` in a text. */
function placeIn(text: string): ReturnType<typeof placeAt> {
  const lines = text.split('\n');
  const index = lines.findIndex((line) => line.includes('|'));
  const column = (lines[index] ?? '').indexOf('|');
  return placeAt(
    lines.map((line) => line.replace('|', '')),
    index,
    column,
  );
}

describe('placeAt', () => {
  it.each([
    { reason: 'keys of the document', text: 'kind: Cluster\nsp|', path: [], siblings: ['kind'] },
    {
      reason: 'keys of a map',
      text: 'spec:\n  region: x\n  |\n  paused: true',
      path: ['spec'],
      siblings: ['region', 'paused'],
    },
    {
      reason: 'keys of a list item',
      text: 'spec:\n  nodePools:\n    - name: a\n      |',
      path: ['spec', 'nodePools', 0],
      siblings: ['name'],
    },
    {
      reason: 'the first key of an item',
      text: 'spec:\n  nodePools:\n    - |',
      path: ['spec', 'nodePools', 0],
      siblings: [],
    },
    {
      reason: 'a list right below its key',
      text: 'spec:\n  nodePools:\n  - name: a\n    |',
      path: ['spec', 'nodePools', 0],
      siblings: ['name'],
    },
    {
      reason: 'not of the item before',
      text: 'spec:\n  nodePools:\n    - name: a\n      replicas: 1\n    - name: b\n      |',
      path: ['spec', 'nodePools', 0],
      siblings: ['name'],
    },
    {
      reason: 'below a list',
      text: 'spec:\n  nodePools:\n    - name: a\n  |',
      path: ['spec'],
      siblings: ['nodePools'],
    },
  ])('$reason', ({ text, path, siblings }) => {
    expect(placeIn(text)).toMatchObject({ kind: 'key', path });
    expect(placeIn(text)?.siblings.toSorted()).toEqual(siblings.toSorted());
  });

  it('tells a value from a key', () => {
    expect(placeIn('spec:\n  drift:\n    policy: Re|')).toMatchObject({
      kind: 'value',
      path: ['spec', 'drift', 'policy'],
      typed: 'Re',
      column: 12,
    });
  });

  it.each(['# a com|', 'a: { b|', 'a: "one tw|'])('has nothing to offer in %s', (text) => {
    expect(placeIn(text)).toBeUndefined();
  });
});
