import { describe, expect, it } from '@jest/globals';
import { Prng } from './prng.js';
import { DRIFT_POLICIES } from '../users/user-action.js';
import { REMOVAL_PATIENCE_MS } from '../platform/chaos-platform.js';
import { scheduleOf } from './schedule.js';

const OPTIONS = { seed: 7, clusters: 3, minutes: 5, replicas: 2, hosts: 1, leaseMs: 5_000 };

describe('numbers from a seed', () => {
  it('are the same for the same seed, on every machine', () => {
    const random = new Prng(1);
    expect([random.between(0, 999), random.between(0, 999), random.between(0, 999)]).toEqual([488, 501, 801]);
  });

  it('are evenly spread, also for seeds beside each other', () => {
    const counts = new Map<number, number>();
    for (let seed = 0; seed < 10_000; seed += 1) {
      const drawn = new Prng(seed).between(0, 9);
      counts.set(drawn, (counts.get(drawn) ?? 0) + 1);
    }
    expect(counts.size).toBe(10);
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });
});

describe('a schedule', () => {
  it('follows from its seed alone', () => {
    expect(scheduleOf(OPTIONS)).toEqual(scheduleOf(OPTIONS));
    expect(scheduleOf({ ...OPTIONS, seed: 8 })).not.toEqual(scheduleOf(OPTIONS));
  });

  it('begins with the class and every cluster, goes on in time, and ends in time', () => {
    const steps = scheduleOf(OPTIONS);
    const first = steps.slice(0, 4).map(({ what }) => 'user' in what && what.user);
    expect(first).toEqual(['publish', ...Array<unknown>(3).fill(expect.stringMatching(/^(create|plan)$/))]);
    expect(steps.map(({ atMs }) => atMs)).toEqual(steps.map(({ atMs }) => atMs).sort((left, right) => left - right));
    expect(steps.at(-1)?.atMs).toBeLessThan(300_000);
  });

  it('has everything that users do and that breaks, when there is time', () => {
    const steps = scheduleOf({ ...OPTIONS, minutes: 120 }).map(({ what }) => what);
    const kinds = new Set(steps.map((what) => ('user' in what ? what.user : what.break)));
    expect([...kinds].sort()).toEqual([
      'change',
      'clock',
      'create',
      'credentials',
      'cut-answer',
      'cut-connections',
      'delete',
      'disk-full',
      'expose',
      'fault',
      'force',
      'freeze',
      'hold-rollout',
      'kill',
      'kill-runs',
      'meddle',
      'move',
      'nats-down',
      'plan',
      'publish',
      'recreate',
      'restore',
      'rotate-keys',
      'slow-cloud',
      'target-down',
      'target-expired',
    ]);
    const created = steps.flatMap((what) => ('user' in what && what.user === 'create' ? [what.spec] : []));
    expect(new Set(created.map((spec) => 'classRef' in spec))).toEqual(new Set([true, false]));
    const killed = new Set(steps.flatMap((what) => ('break' in what && what.break === 'kill' ? [what.process] : [])));
    expect([...killed]).toEqual(expect.arrayContaining(['lifecycle', 'cloud-mgmt-2', 'sandbox', 'nats', 'postgres']));
  });

  it('plans clusters that are to come, to be changed, and to go, and leaves none without its guards', () => {
    const steps = scheduleOf({ ...OPTIONS, minutes: 240 }).map(({ what }) => what);
    const wishes = steps.flatMap((what) => ('user' in what && what.user === 'plan' ? [what.wish] : []));
    expect(new Set(wishes.flatMap((wish) => Object.keys(wish)))).toEqual(new Set(['changes', 'wanted', 'destroy']));
    const specs = steps.flatMap((what) => ('spec' in what && 'accountRef' in what.spec ? [what.spec] : []));
    expect(new Set(specs.map(({ drift }) => drift?.policy))).toEqual(new Set(DRIFT_POLICIES));
    expect(new Set(specs.map(({ maxImpact }) => maxImpact))).toEqual(new Set([undefined, 'roll', 'restart', 'none']));
  });

  it('has target clusters away for longer than a deletion waits for them', () => {
    const steps = scheduleOf({ ...OPTIONS, minutes: 120 }).map(({ what }) => what);
    const away = steps.flatMap((what) => {
      const isAway = 'break' in what && (what.break === 'target-down' || what.break === 'target-expired');
      return isAway ? [what.forMs] : [];
    });
    expect(Math.min(...away)).toBeGreaterThan(REMOVAL_PATIENCE_MS);
  });

  it('lets a second host stand still, also for longer than its runs keep their rights', () => {
    const steps = scheduleOf({ ...OPTIONS, hosts: 2, minutes: 120 });
    const silences = steps.flatMap(({ what }) => ('break' in what && what.break === 'host-down' ? [what.forMs] : []));
    expect(Math.min(...silences)).toBeLessThan(30_000);
    expect(Math.max(...silences)).toBeGreaterThan(100_000);
    expect(steps.some(({ what }) => 'break' in what && what.break === 'host-lost')).toBe(true);
  });
});
