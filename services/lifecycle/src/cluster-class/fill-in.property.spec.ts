import { describe, expect, it } from '@jest/globals';
import { ClassBench, OWN_SPEC } from '../testing/class-bench.js';
import { MOVE_ANNOTATION } from './class-marks.js';

/** A random number generator that gives the same numbers for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Parts of specs, as a class or a person might state them. */
class Specs {
  constructor(private readonly random: () => number) {}

  any(): Record<string, unknown> {
    return {
      ...this.maybe({ kubernetes: { version: this.one('v1.30.8', 'v1.31.4', 'v1.31.8') } }),
      ...this.maybe({ controlPlane: { replicas: this.one(1, 3, 5), ...this.maybe({ diskGiB: this.one(50, 80) }) } }),
      ...this.maybe({ nodePools: this.some('a', 'b', 'c').map((name) => this.pool(name)) }),
      ...this.maybe({ addOns: this.some('docs', 'shop').map((name) => ({ name })) }),
      ...this.maybe({ network: { podCidr: this.one('10.42.0.0/16', '10.52.0.0/16') } }),
    };
  }

  private pool(name: string): unknown {
    return {
      name,
      ...this.maybe({ replicas: this.one(0, 1, 2, 5) }),
      ...this.maybe({ machineType: this.one('m5.large', 'm5.xlarge') }),
      ...this.maybe({ labels: { tier: this.one('web', 'batch') } }),
      ...this.maybe({ taints: [{ key: 'dedicated', effect: 'NoSchedule' }] }),
    };
  }

  private one<T>(...choices: readonly T[]): T {
    return choices[Math.floor(this.random() * choices.length)] as T;
  }

  private some<T>(...choices: readonly T[]): readonly T[] {
    return choices.filter(() => this.random() < 0.6);
  }

  private maybe<T extends object>(part: T): T | Record<string, never> {
    return this.random() < 0.6 ? part : {};
  }
}

/** A class always gives a version, since a cluster needs one. */
function aClass(specs: Specs): Record<string, unknown> {
  return { template: { kubernetes: { version: 'v1.31.4' }, ...specs.any() } };
}

describe('whatever a class gives and a person states', () => {
  it.each(Array.from({ length: 60 }, (_, seed) => seed))(
    'stating it again changes nothing, what is stated is what is stored, and moving twice is moving once (seed %d)',
    async (seed) => {
      const specs = new Specs(randomFrom(seed));
      const bench = new ClassBench();
      await bench.writeClass('standard', aClass(specs));
      const stated = { ...OWN_SPEC, ...specs.any(), classRef: { name: 'standard' } };

      const created = await bench.applyCluster('demo', stated);
      expect(await bench.applyCluster('demo', stated)).toEqual(created);
      expect(await bench.putCluster('demo', stated)).toEqual(created);
      expect(created.spec).toMatchObject(ordered(stated, created.spec));

      await bench.writeClass('standard', aClass(specs));
      const move = { metadata: { annotations: { [MOVE_ANNOTATION]: 'newest' } } };
      const moved = await bench.mergeCluster('demo', move);
      expect(await bench.mergeCluster('demo', move)).toEqual(moved);
      expect(await bench.applyCluster('demo', stated)).toEqual(moved);
      expect(moved.spec).toMatchObject(ordered(stated, moved.spec));
      expect(moved.spec.network).toEqual(created.spec.network);
    },
  );
});

/** The stated spec with its lists in the order of the stored one, and as long: the class may have added items. */
function ordered(stated: Record<string, unknown>, stored: object): Record<string, unknown> {
  const entries = Object.entries(stated).map(([field, value]) => {
    if (!Array.isArray(value)) return [field, value] as const;
    const items = (stored as Record<string, unknown>)[field] as readonly { readonly name: string }[];
    const wanted = value as readonly { readonly name: string }[];
    return [field, items.map((item) => wanted.find(({ name }) => name === item.name) ?? {})] as const;
  });
  return Object.fromEntries(entries);
}
