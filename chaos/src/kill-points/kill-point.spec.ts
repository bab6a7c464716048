import { describe, expect, it } from '@jest/globals';
import { addressOf, parseAddress, pointsOf, victimsOf, type Step } from './kill-point.js';
import { AFTER, BEFORE, TOWARDS } from './stages.js';
import { OPERATIONS } from './kill-point.js';

const STEPS: readonly Step[] = [
  { at: 'cloud', action: 'create', type: 'aws_vpc', nth: 1 },
  { at: 'commit', user: 'cloud_mgmt', label: 'INSERT secret_versions + DELETE secret_versions', nth: 12 },
];

describe('the address of a kill point', () => {
  it('says all of it', () => {
    const points = [...pointsOf('create', STEPS), ...pointsOf('delete-away', STEPS)];
    for (const point of points) expect(parseAddress(addressOf(point))).toEqual(point);
  });

  it.each([
    '',
    'create',
    'create/cloud:create:aws_vpc#1/never/terraform',
    'grow/cloud:create:aws_vpc#1/before/terraform',
  ])('is refused when it is none: %s', (address) => {
    expect(() => parseAddress(address)).toThrow('no address of a kill point');
  });
});

describe('the points of an operation', () => {
  it('are every phase of every step with everybody who may die there', () => {
    expect(victimsOf(STEPS[0]!)).toEqual(['cloud-mgmt', 'terraform', 'sandbox']);
    expect(victimsOf(STEPS[1]!)).toEqual(['cloud-mgmt', 'terraform', 'postgres']);
    expect(pointsOf('create', STEPS)).toHaveLength(18);
  });

  it('are, where a cluster takes away what its workloads had, also those of who has it do so', () => {
    const step: Step = { at: 'cloud', action: 'delete', type: 'aws_lb', nth: 1 };
    expect(victimsOf(step)).toEqual(['cloud-mgmt', 'terraform', 'sandbox', 'cluster-mgmt']);
    expect(victimsOf({ ...step, action: 'create' })).not.toContain('cluster-mgmt');
  });

  it('are, in stages of rke, those once they are done', () => {
    const points = pointsOf('change', [{ at: 'cloud', action: 'up', type: 'rke', nth: 3 }]);
    expect(points.map(addressOf)).toContain('change/cloud:up:rke#3/during/cluster-mgmt');
    expect(points).toHaveLength(6);
  });
});

describe('stages', () => {
  it.each(OPERATIONS)('lead to where %s begins, from anywhere', (operation) => {
    for (const start of ['absent', 'small', 'large', 'resized', 'changed', 'installed'] as const) {
      let stage = start;
      for (let steps = 0; !BEFORE[operation].includes(stage); steps += 1) {
        expect(steps).toBeLessThan(4);
        stage = AFTER[TOWARDS[operation][stage] ?? 'delete'];
      }
    }
  });
});
