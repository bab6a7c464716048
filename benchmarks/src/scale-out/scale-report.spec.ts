import { describe, expect, it } from '@jest/globals';
import type { Creation } from './create-part.js';
import type { Idle } from './idle-part.js';
import { creationTold, idleTold } from './scale-report.js';
import { sumOf, usedBetween } from './shares.js';

const used = {
  lifecycle: { cpuSeconds: 10, programSeconds: 0, rssMiB: 200 },
  'cloud-mgmt': { cpuSeconds: 10, programSeconds: 40, rssMiB: 150 },
  'cluster-mgmt': { cpuSeconds: 0, programSeconds: 20, rssMiB: 150 },
};

function created(seconds: number): Creation {
  return { clusters: 10, seconds, used, waitP99: 2, clusterWaitP99: 1, terraformSeconds: 70 };
}

function idle(clusters: number, processors: number, rssMiB: number): Idle {
  return { clusters, used, processors, rssMiB, programProcessors: clusters / 10_000 };
}

describe('what is told of a fleet', () => {
  it('holds its time against that of Terraform alone, and shows whose the processors were', () => {
    const bare = { seconds: 80, terraformSeconds: 50, cloudSeconds: 20 };
    const { figures } = creationTold(created(120), 1, undefined, bare);

    expect(figures['create-1.overBare']).toEqual({ value: 1.5, unit: 'ratio', target: 1.25 });
    expect(figures['create-1.allReady']).toEqual({ value: 120, unit: 's', baseline: 80 });
    expect(figures['create-1.perCluster']?.value).toBe(8);
    expect(figures['create-1.terraformShare']?.value).toBe(0.5);
  });

  it('tells what more replicas bring beside the first platform', () => {
    const { figures } = creationTold(created(60), 2, created(90));
    expect(figures['create-2.speedUp']?.value).toBe(1.5);
    expect(figures).not.toHaveProperty('create-2.overBare');
  });

  it('goes on from what was measured to fleets that do not fit', () => {
    const { figures } = idleTold(idle(0, 0.05, 600), idle(50, 0.06, 620));

    expect(figures['idle.processorsAt1000']).toEqual({ value: 0.25, unit: 'processors', target: 0.3 });
    expect(figures['idle.rssAt1000']).toEqual({ value: 1_000, unit: 'MiB', target: 1_024 });
    expect(figures['idle.processorsAt5000']?.value).toBe(1.05);
    expect(figures['idle.programsAt5000']?.value).toBe(0.5);
  });
});

describe('what too few clusters tell', () => {
  it('is said of them alone', () => {
    const { figures } = idleTold(idle(0, 0.05, 600), idle(19, 0.04, 620));
    expect(Object.keys(figures)).toEqual(['idle.processors', 'idle.rss']);
    expect(figures['idle.rss']).toEqual({ value: 620, unit: 'MiB', baseline: 600 });
  });
});

describe('what processes used between two looks', () => {
  it('is told of each and of all, with what they hold at the second look', () => {
    const later = { ...used, lifecycle: { cpuSeconds: 12, programSeconds: 0, rssMiB: 210 } };
    const between = usedBetween(used, later);

    expect(between['lifecycle']).toEqual({ cpuSeconds: 2, programSeconds: 0, rssMiB: 210 });
    expect(sumOf(between)).toEqual({ cpuSeconds: 2, programSeconds: 0, rssMiB: 510 });
    expect(sumOf(between, ['cloud-mgmt'])).toEqual({ cpuSeconds: 0, programSeconds: 0, rssMiB: 150 });
  });
});
