import { describe, expect, it } from '@jest/globals';
import { readPlan, type PlanReading } from './plan-reading.js';

/** A machine that is made anew as its disk is to be encrypted. */
const REPLACED = {
  resource_changes: [
    {
      ...{ address: 'aws_instance.workers-0', type: 'aws_instance', name: 'workers-0', mode: 'managed' },
      change: {
        actions: ['delete', 'create'],
        before: { ami: 'ami-1', id: 'i-1', root_block_device: [{ encrypted: false }] },
        after: { ami: 'ami-2', root_block_device: [{ encrypted: true }] },
        after_unknown: { id: true },
        replace_paths: [['ami'], ['root_block_device', 0, 'encrypted']],
      },
    },
  ],
};

function read(): PlanReading {
  return readPlan(REPLACED, { aliases: [] });
}

describe('readPlan', () => {
  it('gives a plan that was approved before an upgrade the digest that it was approved by', () => {
    // As releases before gave it: it may not follow what is shown.
    expect(read().digest).toBe('712a2c12e295007f8485dea9d77f6717bb0176912ffcdc5be794bb3fed941b46');
  });

  it('shows the block in which an attribute forces the replacement', () => {
    const [resource] = read().shown.resources;
    const forcing = resource?.changes.filter(({ forcesReplacement }) => forcesReplacement).map(({ path }) => path);
    expect(forcing).toEqual(['ami', 'root_block_device']);
  });
});
