import { describe, expect, it } from '@jest/globals';
import { anRkeState } from '../testing/an-rke-state.js';
import { nodesOf, parseRkeState } from './rke-state.js';
import { withUnsyncedMarks } from './unsynced-marks.js';

const A = { key: 'only', value: 'a', effect: 'NoSchedule' };
const B = { ...A, value: 'b' };

const machine = (host: number, marks = {}): Readonly<Record<string, unknown>> => ({
  ...{ address: `10.0.0.${host}`, hostnameOverride: `demo-workers-${host}`, role: ['worker'], ...marks },
});

const aState = (nodes: readonly unknown[]): Uint8Array => anRkeState({ settings: { nodes } });
const currentNodes = (state: Uint8Array): unknown => nodesOf(parseRkeState(state)?.currentState ?? {});

describe('labels and taints that a run has not put on nodes yet', () => {
  it('are those of the state before, and none on a machine that is new', () => {
    const old = { labels: { tier: 'web', pool: 'a' }, taints: [A] };
    const stored = aState([machine(1, old), machine(2)]);
    const wanted = { labels: { pool: 'a' }, taints: [B] };
    const written = aState([machine(1, wanted), machine(2, wanted), machine(3, wanted)]);

    const kept = withUnsyncedMarks(written, stored);
    expect(currentNodes(kept)).toEqual([machine(1, old), machine(2), machine(3)]);
    expect(parseRkeState(kept)?.desiredState).toEqual(parseRkeState(written)?.desiredState);
    expect(withUnsyncedMarks(written, kept)).toEqual(kept);
  });

  it.each([
    {
      name: 'nothing is other',
      stored: aState([machine(1, { taints: [A] })]),
      written: aState([machine(1, { taints: [A] })]),
    },
    {
      name: 'the run has not got that far',
      stored: aState([machine(1)]),
      written: anRkeState({ nodes: ['a'], isApplied: false }),
    },
    { name: 'it is no state of RKE', stored: aState([machine(1)]), written: Buffer.from('{"serial":1}') },
    { name: 'it is of the first run, and asks for none', stored: undefined, written: aState([machine(1)]) },
  ])('leave the file as it is, byte by byte, when $name', ({ stored, written }) => {
    expect(withUnsyncedMarks(written, stored)).toBe(written);
  });
});
