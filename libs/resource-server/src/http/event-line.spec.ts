import { describe, expect, it } from '@jest/globals';
import { eventLine } from './event-line.js';

function parsed(line: Buffer | string): unknown {
  expect(String(line).endsWith('\n')).toBe(true);
  return JSON.parse(String(line));
}

describe('eventLine', () => {
  it('makes the line of a shared object once for each type of event', () => {
    const object = Object.freeze({ kind: 'Widget', name: 'ä' });
    const line = eventLine({ type: 'ADDED', object });
    expect(parsed(line)).toEqual({ type: 'ADDED', object });
    expect(eventLine({ type: 'ADDED', object })).toBe(line);
    expect(parsed(eventLine({ type: 'DELETED', object }))).toEqual({ type: 'DELETED', object });
    expect(eventLine({ type: 'ADDED', object })).toBe(line);
  });

  it('makes the line of another object anew, even when it looks the same', () => {
    const line = eventLine({ type: 'ADDED', object: Object.freeze({ kind: 'Widget' }) });
    expect(eventLine({ type: 'ADDED', object: Object.freeze({ kind: 'Widget' }) })).not.toBe(line);
  });

  it('remembers nothing of an object that may still change', () => {
    const object = { kind: 'Widget', size: 1 };
    eventLine({ type: 'ADDED', object });
    object.size = 2;
    expect(parsed(eventLine({ type: 'ADDED', object }))).toEqual({
      type: 'ADDED',
      object: { kind: 'Widget', size: 2 },
    });
  });

  it.each([{ event: { type: 'BOOKMARK', object: null } }, { event: {} }])('writes $event as it is', ({ event }) => {
    expect(parsed(eventLine(event))).toEqual(event);
  });
});
