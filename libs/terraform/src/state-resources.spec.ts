import { describe, expect, it } from '@jest/globals';
import { stateResources } from './state-resources.js';
import { aState } from './testing/a-state.js';

describe('stateResources', () => {
  const state = aState({
    resources: [
      {
        mode: 'managed',
        type: 'aws_instance',
        name: 'node',
        instances: [
          { index_key: 'a', attributes: { id: 'i-1', user_data: 'secret' }, status: 'tainted' },
          { index_key: 'b', attributes: { id: 'i-2' } },
        ],
      },
      { mode: 'managed', type: 'random_string', name: 's', instances: [{ attributes: { id: 'hunter2' } }] },
      {
        mode: 'managed',
        type: 'aws_key',
        name: 'k',
        instances: [{ attributes: { id: 'AKIA' }, sensitive_attributes: [[{ type: 'get_attr', value: 'id' }]] }],
      },
      { mode: 'data', type: 'aws_ami', name: 'image', instances: [{ attributes: { id: 'ami-1' } }] },
    ],
  });

  it('tells what there is, what was not finished, and nothing that may be secret', () => {
    expect(stateResources(state)).toEqual([
      { address: 'aws_instance.node["a"]', type: 'aws_instance', name: 'node', id: 'i-1', isTainted: true },
      { address: 'aws_instance.node["b"]', type: 'aws_instance', name: 'node', id: 'i-2', isTainted: false },
      { address: 'random_string.s', type: 'random_string', name: 's', id: undefined, isTainted: false },
      { address: 'aws_key.k', type: 'aws_key', name: 'k', id: undefined, isTainted: false },
    ]);
  });
});
