import { describe, expect, it } from '@jest/globals';
import { PendingEvents } from './pending-events.js';
import { anObject } from './testing/an-object.js';

const START = new Date('2026-11-21T10:00:00Z');

function later(ms: number): Date {
  return new Date(START.getTime() + ms);
}

function aQueue(onDropped: () => void = () => undefined): PendingEvents {
  return new PendingEvents({ component: 'cloud-mgmt', instance: 'host' }, onDropped);
}

describe('PendingEvents', () => {
  it('holds back what an object has no budget for, counts on, and gives it once there is budget again', () => {
    const queue = aQueue();
    for (let i = 0; i < 26; i++) {
      queue.add(anObject('demo'), { type: 'Normal', reason: `Reason${i}`, message: '' }, START);
    }
    expect(queue.take(100, START)).toHaveLength(25);
    queue.add(anObject('demo'), { type: 'Normal', reason: 'Reason25', message: '' }, later(1000));
    expect(queue.take(100, later(1000))).toEqual([]);
    expect(queue.take(100, later(300_000))).toMatchObject([{ count: 2, first: START, last: later(1000) }]);
  });

  it('adds what could not be written to what happened since', () => {
    const queue = aQueue();
    const draft = { type: 'Normal', reason: 'Planned', message: '' } as const;
    queue.add(anObject('demo'), draft, START);
    const [failed] = queue.take(1, START);
    queue.add(anObject('demo'), draft, later(10));
    if (failed) queue.put(failed);
    expect(queue.take(1, later(20))).toMatchObject([{ count: 2, first: START, last: later(10) }]);
  });

  it('forgets the oldest when too many wait, and says so', () => {
    let dropped = 0;
    const queue = aQueue(() => dropped++);
    for (let i = 0; i < 2010; i++) {
      queue.add(anObject(`demo-${i}`), { type: 'Normal', reason: 'Planned', message: '' }, START);
    }
    expect([queue.size, dropped]).toEqual([2000, 10]);
  });
});
