import { describe, expect, it } from '@jest/globals';
import { availableParallelism, totalmem } from 'node:os';
import { runCapacity, thisMachine } from './run-capacity.js';

const GIB = 1024 ** 3;
/** What the system says where nothing is limited. */
const UNLIMITED = 2 ** 64;

describe('how many runs of Terraform fit', () => {
  it.each([
    { what: 'the pod of the chart', processors: 8, totalBytes: 32 * GIB, limitBytes: 3 * GIB, fit: 4 },
    { what: 'a pod on a node of many processors', processors: 64, totalBytes: 256 * GIB, limitBytes: 3 * GIB, fit: 4 },
    { what: 'a pod on a small node', processors: 1, totalBytes: 8 * GIB, limitBytes: 3 * GIB, fit: 4 },
    { what: 'a container of less than one run', processors: 2, totalBytes: 8 * GIB, limitBytes: GIB / 4, fit: 1 },
    { what: 'a laptop', processors: 8, totalBytes: 16 * GIB, limitBytes: UNLIMITED, fit: 16 },
    { what: 'a very large one', processors: 96, totalBytes: 512 * GIB, limitBytes: UNLIMITED, fit: 64 },
    { what: 'a large machine', processors: 4, totalBytes: 64 * GIB, limitBytes: 0, fit: 16 },
  ])('$what: $fit', ({ fit, ...machine }) => {
    expect(runCapacity(machine)).toBe(fit);
  });

  it('is told of the machine that it runs in', () => {
    expect(thisMachine()).toMatchObject({ processors: availableParallelism(), totalBytes: totalmem() });
  });
});
