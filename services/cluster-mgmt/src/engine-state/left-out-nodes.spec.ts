import { describe, expect, it } from '@jest/globals';
import { anRkeState } from '../testing/an-rke-state.js';
import { withLeftOutNodes } from './left-out-nodes.js';
import { nodesOf, parseRkeState } from './rke-state.js';

const machine = (host: number, labels = {}): Readonly<Record<string, unknown>> => ({
  ...{ address: `10.0.0.${host}`, hostnameOverride: `demo-workers-${host}`, role: ['worker'], labels },
});

/** What a run leaves behind that was asked for `wanted` and has reached `reached`. */
function aState(wanted: readonly unknown[], reached: readonly unknown[]): Uint8Array {
  const half = (nodes: readonly unknown[]): unknown => ({ rkeConfig: { nodes }, encryptionConfig: 'kept' });
  return Buffer.from(JSON.stringify({ desiredState: half(wanted), currentState: half(reached) }));
}

const currentNodes = (state: Uint8Array): unknown => nodesOf(parseRkeState(state)?.currentState ?? {});

describe('machines that a run could not reach', () => {
  it('stay in what there is, as the state before had them', () => {
    const stored = aState([machine(1), machine(2, { old: 'yes' })], [machine(1), machine(2, { old: 'yes' })]);
    const written = aState([machine(1), machine(2, { new: 'yes' })], [machine(1)]);

    const kept = withLeftOutNodes(written, stored);
    expect(currentNodes(kept)).toEqual([machine(1), machine(2, { old: 'yes' })]);
    expect(JSON.parse(Buffer.from(kept).toString())).toMatchObject({
      desiredState: { rkeConfig: { nodes: [machine(1), machine(2, { new: 'yes' })] }, encryptionConfig: 'kept' },
      currentState: { encryptionConfig: 'kept' },
    });
  });

  it.each([
    {
      name: 'was removed by the run',
      stored: aState([machine(1), machine(2)], [machine(1), machine(2)]),
      written: aState([machine(1)], [machine(1)]),
    },
    {
      name: 'was never reached',
      stored: aState([machine(1)], [machine(1)]),
      written: aState([machine(1), machine(2)], [machine(1)]),
    },
    { name: 'is of the first run', stored: undefined, written: aState([machine(1), machine(2)], [machine(1)]) },
    {
      name: 'is of a run that has not got that far',
      stored: aState([machine(1)], [machine(1)]),
      written: anRkeState({ nodes: ['a'], isApplied: false }),
    },
    {
      name: 'is in no state of RKE',
      stored: aState([machine(1)], [machine(1)]),
      written: Buffer.from('{"serial":1}'),
    },
  ])('are not made up when one $name: the file stays as it is, byte by byte', ({ stored, written }) => {
    expect(withLeftOutNodes(written, stored)).toBe(written);
  });
});
