import type { Metrics } from '@crate/telemetry';
import type { RecoveryState } from './recovery-state.js';

/** Tells whether a person has yet to confirm what a restored database knows. */
export function observeRecovery(metrics: Metrics, recovery: Pick<RecoveryState, 'find'>): void {
  metrics.gauge({
    name: 'crate_recovering',
    help: '1 while the service works on a memory older than the world, until a person confirms',
    collect: async (gauge) => gauge.set((await recovery.find()) ? 1 : 0),
  });
}
