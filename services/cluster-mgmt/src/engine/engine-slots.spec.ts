import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
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

  it('keeps no place for who needs none any more', () => {
    const slots = new EngineSlots(1);
    slots.request('a');
    slots.request('b');
    slots.request('c');
    slots.leave('b');

    expect(slots.waiting).toBe(1);
    expect(position(slots.request('c'))).toBe(1);
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
    now = 301_000;
    slots.request('c');
    release(first);

    expect(position(slots.request('c'))).toBe('granted');
  });
});

describe('a slot that comes free', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  function fullSlots(limit: number): { slots: EngineSlots; told: string[]; running: SlotRequest[] } {
    const told: string[] = [];
    const slots = new EngineSlots(limit, (key) => told.push(key));
    const running = Array.from({ length: limit }, (_, index) => slots.request(`running ${index}`));
    return { slots, told, running };
  }

  it('is told to another one than the slot that came free just before', () => {
    const { slots, told, running } = fullSlots(2);
    for (const key of ['a', 'b', 'c']) slots.request(key);
    running.forEach(release);

    expect(told).toEqual(['a', 'b']);
  });

  it('is offered to the next one when nobody comes, and who comes late has kept its place', () => {
    const { slots, told, running } = fullSlots(1);
    for (const key of ['a', 'b', 'c']) slots.request(key);
    running.forEach(release);
    jest.advanceTimersByTime(4_900);
    expect(told).toEqual(['a']);
    expect(position(slots.request('c'))).toBe(3);

    jest.advanceTimersByTime(100);
    expect(told).toEqual(['a', 'b']);
    const second = slots.request('b');
    expect(position(second)).toBe('granted');
    expect(position(slots.request('a'))).toBe(1);
    jest.advanceTimersByTime(60_000);
    expect(told).toEqual(['a', 'b']);

    release(second);
    expect(told).toEqual(['a', 'b', 'a']);
  });

  it('is waited with for nobody who was called and did not come', () => {
    const { slots, told, running } = fullSlots(1);
    slots.request('a');
    running.forEach(release);
    jest.advanceTimersByTime(60_000);

    expect(told).toEqual(['a']);
    expect(slots.waiting).toBe(0);
    expect(position(slots.request('b'))).toBe('granted');
  });

  it('finds everybody in line who asks every 30 s, though half of that is another replica', () => {
    const { slots, running } = fullSlots(1);
    slots.request('a');
    jest.advanceTimersByTime(150_000);
    slots.request('b');
    running.forEach(release);

    expect(position(slots.request('b'))).toBe(2);
    expect(position(slots.request('a'))).toBe('granted');
  });
});
