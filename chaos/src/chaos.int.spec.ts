import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KillBench } from './kill-points/kill-bench.js';
import { parseAddress } from './kill-points/kill-point.js';
import { ChaosPlatform, LEASE_MS } from './platform/chaos-platform.js';
import { ScheduleBench } from './random/schedule-bench.js';
import { scheduleOf } from './random/schedule.js';

const BOUND_MS = 120_000;
/** Of a start, what is done, and all that has to come to rest after it, on a machine that has other things to do: bounds are of fair time. */
const TIMEOUT_MS = 1_500_000;

// What was cut off goes on by itself, and nobody else ends its platform.
afterAll(() => ChaosPlatform.stopAll(), TIMEOUT_MS);

describe('something dies at one step', () => {
  let bench: KillBench;
  beforeAll(async () => {
    bench = await KillBench.start({ boundMs: BOUND_MS, leaseMs: LEASE_MS });
  }, TIMEOUT_MS);
  afterAll(async () => bench?.stop({ keepsData: false }), TIMEOUT_MS);

  it.each([
    'create/cloud:create:aws_nat_gateway#1/during/terraform',
    'scale/cloud:create:aws_instance#1/during/cloud-mgmt',
    'shrink/cloud:delete:aws_instance#1/during/sandbox',
    'change/commit:cluster_mgmt:UPDATE engine_runs#1/during/cluster-mgmt',
    'delete/commit:lifecycle:MODIFIED Cluster#1/during/postgres',
    'delete/cloud:delete:aws_lb#1/during/cluster-mgmt',
  ])(
    '%s: nothing is lost, doubled or left behind',
    async (address) => {
      const { wasReached, violations } = await bench.run(parseAddress(address));
      expect(violations).toEqual([]);
      expect(wasReached).toBe(true);
    },
    TIMEOUT_MS,
  );

  it('no secret is where it may not be after all of that', async () => {
    expect(await bench.lastLook()).toEqual([]);
  });
});

describe('a schedule of users and accidents', () => {
  it(
    'over two processes of each service: nothing is lost, doubled or left behind',
    async () => {
      // What happens to processes without a second one is what dies at each step above.
      const shape = { replicas: 2, hosts: 1, leaseMs: LEASE_MS };
      const steps = scheduleOf({ ...shape, seed: 12, clusters: 2, minutes: 0.25 });
      const said: string[] = [];
      const say = (line: string): void => void said.push(line);
      const bench = await ScheduleBench.start({ ...shape, say });
      try {
        const violations = await bench.run({ steps, boundMs: BOUND_MS, say });
        expect({ violations, said }).toEqual({ violations: [], said });
      } finally {
        await bench.stop({ keepsData: false });
      }
    },
    TIMEOUT_MS,
  );
});
