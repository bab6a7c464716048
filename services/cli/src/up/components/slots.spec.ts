import { describe, expect, it } from '@jest/globals';
import { nextChange, type Slot } from './slots.js';
import type { Wanted } from './wanted.js';

const EXTRA = 'policy-mgmt-3';
const slot = (name: string, version: string, changes: Partial<Slot> = {}): Slot => ({
  ...{ name, version, isReady: true, isExtra: false },
  ...changes,
});
const extra = (version: string, isReady = true): Slot => slot(EXTRA, version, { isExtra: true, isReady });
const canary: Wanted = { version: '1.0.0', next: { version: '1.1.0', stage: 'Canary' } };
const all: Wanted = { version: '1.0.0', next: { version: '1.1.0', stage: 'All' } };
const held: Wanted = { version: '1.0.0', next: { version: '1.1.0', stage: 'Held' } };

describe('nextChange', () => {
  const [a0, b0] = [slot('policy-mgmt', '1.0.0'), slot('policy-mgmt-2', '1.0.0')];
  const [a1, b1] = [slot('policy-mgmt', '1.1.0'), slot('policy-mgmt-2', '1.1.0')];
  const unready = { isReady: false };

  it.each<{ name: string; slots: readonly Slot[]; wanted: Wanted; want: unknown }>([
    { name: 'changes nothing that is as it should be', slots: [a0, b0], wanted: { version: '1.0.0' }, want: undefined },
    {
      name: 'starts the canary',
      slots: [a0, b0],
      wanted: canary,
      want: { do: 'start', name: EXTRA, version: '1.1.0' },
    },
    { name: 'leaves it at that', slots: [a0, b0, extra('1.1.0')], wanted: canary, want: undefined },
    {
      name: 'replaces one after the other',
      slots: [a1, b0, extra('1.1.0')],
      wanted: all,
      want: { do: 'replace', name: b0.name, version: '1.1.0' },
    },
    {
      name: 'waits for the one before to be ready',
      slots: [{ ...a1, ...unready }, b0, extra('1.1.0')],
      wanted: all,
      want: undefined,
    },
    { name: 'waits for the canary', slots: [a0, b0, extra('1.1.0', false)], wanted: all, want: undefined },
    {
      name: 'replaces at once what does not answer anyway',
      slots: [{ ...a0, ...unready }, b0, extra('1.1.0', false)],
      wanted: all,
      want: { do: 'replace', name: a0.name, version: '1.1.0' },
    },
    { name: 'replaces nothing while it is held', slots: [a1, b0, extra('1.1.0')], wanted: held, want: undefined },
    { name: 'keeps the canary while all are looked at', slots: [a1, b1, extra('1.1.0')], wanted: all, want: undefined },
    {
      name: 'takes it away in the end',
      slots: [a1, b1, extra('1.1.0')],
      wanted: { version: '1.1.0' },
      want: { do: 'stop', name: EXTRA },
    },
    {
      name: 'takes away a canary that failed',
      slots: [a0, b0, extra('1.1.0', false)],
      wanted: { version: '1.0.0' },
      want: { do: 'stop', name: EXTRA },
    },
    {
      name: 'begins the way back with the extra one, for the others are needed',
      slots: [a1, b0, extra('1.1.0')],
      wanted: { version: '1.0.0' },
      want: { do: 'replace', name: EXTRA, version: '1.0.0' },
    },
    {
      name: 'goes back one after the other',
      slots: [a1, b0, extra('1.0.0')],
      wanted: { version: '1.0.0' },
      want: { do: 'replace', name: a1.name, version: '1.0.0' },
    },
    {
      name: 'keeps the extra one until the last is ready',
      slots: [{ ...a0, ...unready }, b0, extra('1.0.0')],
      wanted: { version: '1.0.0' },
      want: undefined,
    },
    {
      name: 'adds none for a slot that only restarts',
      slots: [{ ...a0, ...unready }, b0],
      wanted: { version: '1.0.0' },
      want: undefined,
    },
  ])('$name', ({ slots, wanted, want }) => {
    expect(nextChange(slots, wanted, EXTRA)).toEqual(want);
  });

  it('ends from wherever it begins, with never fewer ready than there were', () => {
    for (const wanted of [canary, all, { version: '1.1.0' }, { version: '1.0.0' }]) {
      let slots: Slot[] = [a0, b0];
      for (
        let change = nextChange(slots, wanted, EXTRA), turns = 0;
        change;
        change = nextChange(slots, wanted, EXTRA)
      ) {
        const { name } = change;
        slots = slots.filter((each) => each.name !== name);
        expect(slots.filter(({ isReady }) => isReady).length).toBeGreaterThanOrEqual(2);
        if (change.do !== 'stop') slots = [...slots, slot(name, change.version, { isExtra: name === EXTRA })];
        expect((turns += 1)).toBeLessThan(10);
      }
      const version = wanted === all ? '1.1.0' : wanted.version;
      expect(slots.filter(({ isExtra }) => !isExtra).map((each) => each.version)).toEqual([version, version]);
    }
  });
});
