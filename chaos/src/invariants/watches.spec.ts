import { describe, expect, it } from '@jest/globals';
import { aWorld, EVENTS } from '../testing/a-world.js';
import { finds } from '../testing/finds.js';
import type { World } from '../world/world.js';
import { judge } from './all.js';

const SPAN = { from: 0, to: 7, events: EVENTS, isForgotten: false };

function watched(span: Partial<typeof SPAN>): Pick<World, 'watched'> {
  return { watched: [{ watcher: 'client 1', kind: 'Cluster', spans: [{ ...SPAN, ...span }], wanted: 7 }] };
}

describe('watchers', () => {
  finds('watchers saw every change once, in order', [
    {
      reason: 'a watcher that missed a change',
      planted: watched({ events: EVENTS.slice(1) }),
      message: /missing ADDED Cluster-1 at 3/,
    },
    {
      reason: 'a watcher that saw a change twice',
      planted: watched({ events: [...EVENTS, ...EVENTS.slice(1)] }),
      message: /doubled MODIFIED/,
    },
    {
      reason: 'a watcher that saw changes in another order',
      planted: watched({ events: EVENTS.toReversed() }),
      message: /disordered ADDED/,
    },
    {
      reason: 'a watcher that saw what never happened',
      planted: watched({ events: [...EVENTS, { type: 'DELETED', uid: 'Cluster-1', revision: 7 }] }),
      message: /invented DELETED/,
    },
    {
      reason: 'a watcher that never heard of the last change',
      planted: watched({ to: 3, events: EVENTS.slice(0, 1) }),
      message: /client 1 of Cluster came as far as 3, and there was 7/,
    },
    {
      reason: 'a watcher that could not even list',
      planted: { watched: [{ watcher: 'client 1', kind: 'Cluster', spans: [], wanted: 7 }] },
      message: /came as far as 0/,
    },
    {
      reason: 'a watcher that missed a change while older ones were forgotten',
      planted: { ...watched({ events: EVENTS.slice(0, 1) }), since: { Cluster: 5 }, floors: { Cluster: 5 } },
      message: /missing MODIFIED Cluster-1 at 7/,
    },
    {
      reason: 'a watcher that missed a change before others were forgotten that nobody read',
      planted: { ...watched({ events: EVENTS.slice(1) }), gaps: { Cluster: [{ after: 3, upTo: 6 }] } },
      message: /missing ADDED Cluster-1 at 3/,
    },
    {
      reason: 'a watcher that missed a change after others were forgotten that nobody read',
      planted: { ...watched({ events: EVENTS.slice(0, 1) }), gaps: { Cluster: [{ after: 3, upTo: 6 }] } },
      message: /missing MODIFIED Cluster-1 at 7/,
    },
    {
      reason: 'a watcher that had to list anew for nothing',
      planted: { ...watched({ isForgotten: true }), floors: { Cluster: 0 } },
      message: /was sent to list anew at 7; only changes up to 0 are forgotten/,
    },
  ]);

  it.each([
    { are: 'from before anybody looked', unknown: { since: { Cluster: 5 } } },
    { are: 'in a gap', unknown: { gaps: { Cluster: [{ after: 2, upTo: 3 }] } } },
  ])('are not compared with changes that are $are', ({ unknown }) => {
    expect(judge(aWorld({ ...watched({ events: EVENTS.slice(1) }), ...unknown }))).toEqual([]);
  });

  it('takes it for no harm that a watcher had to list anew where changes were forgotten', () => {
    const told = { ...SPAN, to: 3, events: EVENTS.slice(0, 1), isForgotten: true };
    const anew = { from: 7, to: 7, events: [], isForgotten: false };
    const history = { watcher: 'client 1', kind: 'Cluster', spans: [told, anew], wanted: 7 };
    expect(judge(aWorld({ watched: [history], floors: { Cluster: 5 } }))).toEqual([]);
  });
});
