import { describe, expect, it } from '@jest/globals';
import type { AddOn } from '@crate/api';
import { isPlatformError } from '@crate/errors';
import { anAddOn } from '../testing/a-cluster.js';
import { installationOrder } from './add-on.order.js';

const catalogue = new Map(
  [
    anAddOn('baseline'),
    anAddOn('docs', 'baseline'),
    anAddOn('shop', 'docs', 'baseline'),
    anAddOn('lost', 'nowhere'),
    anAddOn('a', 'b'),
    anAddOn('b', 'a'),
  ].map((addOn): [string, AddOn] => [addOn.metadata.name, addOn]),
);

describe('installationOrder', () => {
  it.each([
    { asked: [], want: [], reason: 'nothing asked for installs nothing' },
    { asked: ['docs'], want: ['baseline', 'docs'], reason: 'a dependency comes along, and first' },
    {
      asked: ['shop', 'docs'],
      want: ['baseline', 'docs', 'shop'],
      reason: 'dependencies go before the order asked for',
    },
    { asked: ['docs', 'docs'], want: ['baseline', 'docs'], reason: 'one installation each' },
  ])('$asked gives $want: $reason', ({ asked, want }) => {
    expect(installationOrder(asked, catalogue).map((addOn) => addOn.metadata.name)).toEqual(want);
  });

  it.each([
    { asked: ['lost'], text: '"nowhere" (needed by "lost")' },
    { asked: ['unknown'], text: '"unknown" is not in the catalogue' },
    { asked: ['a'], text: 'a -> b -> a' },
  ])('refuses $asked and says why', ({ asked, text }) => {
    try {
      installationOrder(asked, catalogue);
      throw new Error('not refused');
    } catch (error) {
      expect(isPlatformError(error) && error.code).toBe('InvalidSpec');
      expect((error as Error).message).toContain(text);
    }
  });
});
