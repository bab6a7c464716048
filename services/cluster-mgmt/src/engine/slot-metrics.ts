import type { Metrics } from '@crate/telemetry';
import type { EngineSlots } from './engine-slots.js';

/** Tells how many engines run in this process, how many wait for their turn, and how many may run. */
export function observeEngineSlots(metrics: Metrics, slots: Pick<EngineSlots, 'running' | 'waiting' | 'limit'>): void {
  metrics.gauge({
    name: 'crate_engine_runs',
    help: 'Engine runs of this process, by whether they run or wait for a slot.',
    labels: ['state'],
    collect: (gauge) => {
      gauge.set(slots.running, { state: 'running' });
      gauge.set(slots.waiting, { state: 'waiting' });
    },
  });
  metrics.gauge({
    name: 'crate_engine_slots',
    help: 'Engine runs that this process may have at a time.',
    collect: (gauge) => gauge.set(slots.limit),
  });
}
