import { describe, expect, it } from '@jest/globals';
import { EngineSlots, type SlotRequest } from './engine-slots.js';

function position(request: SlotRequest): number | 'granted' {
  return request.granted ? 'granted' : request.position;
}

function release(request: SlotRequest): void {
  if (request.granted) request.release();
}

describe('EngineSlots', () => {
  it('grants up to its limit, then queues', () => {
    const slots = new EngineSlots(2);

    expect(['a', 'b', 'c', 'd'].map((key) => position(slots.request(key)))).toEqual(['granted', 'granted', 1, 2]);
  });

  it('serves first who came first, also when the last one asks first', () => {
    const slots = new EngineSlots(1);
    const first = slots.request('a');
    slots.request('b');
    slots.request('c');
    release(first);

    expect(position(slots.request('c'))).toBe(2);
    expect(position(slots.request('b'))).toBe('granted');
  });

  it('tells who is next when a slot comes free, and only once', () => {
    const told: string[] = [];
    const slots = new EngineSlots(1, (key) => told.push(key));
    const first = slots.request('a');
    slots.request('b');
    release(first);
    release(first);

    expect(told).toEqual(['b']);
    expect(position(slots.request('b'))).toBe('granted');
    expect(position(slots.request('c'))).toBe(1);
  });

  it('forgets who has not asked for long, such as one that another replica took over', () => {
    let now = 0;
    const slots = new EngineSlots(1, undefined, () => now);
    const first = slots.request('a');
    slots.request('b');
    now = 61_000;
    slots.request('c');
    release(first);

    expect(position(slots.request('c'))).toBe('granted');
  });
});
