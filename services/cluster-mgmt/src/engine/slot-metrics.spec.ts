import { describe, expect, it } from '@jest/globals';
import { InMemoryMetrics } from '@crate/telemetry';
import { EngineSlots } from './engine-slots.js';
import { observeEngineSlots } from './slot-metrics.js';

describe('slots for engines', () => {
  it('are told with what runs and what waits, without those who went away', async () => {
    let now = 0;
    const slots = new EngineSlots(1, undefined, () => now);
    const metrics = new InMemoryMetrics();
    observeEngineSlots(metrics, slots);
    const told = async (): Promise<readonly unknown[]> => {
      await metrics.text();
      const runs = ['running', 'waiting'].map((state) => metrics.value('crate_engine_runs', { state }));
      return [...runs, metrics.value('crate_engine_slots')];
    };
    expect(await told()).toEqual([0, 0, 1]);
    slots.request('a');
    slots.request('b');
    expect(await told()).toEqual([1, 1, 1]);
    now = 301_000;
    expect(await told()).toEqual([1, 0, 1]);
  });
});
