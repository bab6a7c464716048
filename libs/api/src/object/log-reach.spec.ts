import { describe, expect, it } from '@jest/globals';
import { LogReach, type LogPlace } from './log-reach.js';

const at = (second: number, source: string): LogPlace => ({ time: `2026-11-22T15:21:0${second}.000000Z`, source });

function reached(...places: readonly LogPlace[]): LogReach {
  const reach = new LogReach();
  for (const place of places) reach.add(place);
  return reach;
}

describe('LogReach', () => {
  it('takes everything before the first line', () => {
    const reach = reached();
    expect(reach.since()).toBeUndefined();
    expect(reach.beyond()(at(0, 'rke'))).toBe(true);
  });

  it('goes back behind the last line, which another source may come late for', () => {
    expect(reached(at(1, 'rke'), at(9, 'terraform')).since()).toBe('2026-11-22T15:20:59.000Z');
  });

  it.each([
    { reason: 'one of another source that comes late', place: at(4, 'rke'), want: true },
    { reason: 'the last one of a source', place: at(3, 'rke'), want: false },
    { reason: 'the last one of all', place: at(5, 'terraform'), want: false },
    { reason: 'a later one', place: at(6, 'terraform'), want: true },
    { reason: 'one of a new source', place: at(4, 'other'), want: true },
    { reason: 'one from before the first that was read', place: at(1, 'other'), want: false },
    { reason: 'one without a time', place: { time: '', source: '' }, want: true },
  ])('says of $reason whether it is new: $want', ({ place, want }) => {
    expect(reached(at(2, 'terraform'), at(3, 'rke'), at(5, 'terraform')).beyond()(place)).toBe(want);
  });

  it('means what was read when it was asked', () => {
    const reach = reached(at(1, 'rke'));
    const isNew = reach.beyond();
    reach.add(at(3, 'rke'));
    expect([isNew(at(3, 'rke')), reach.beyond()(at(3, 'rke'))]).toEqual([true, false]);
  });
});
