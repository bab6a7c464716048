import type { RunReport } from '@crate/api';
import { objectNames, type Foundation, type StatusParts } from '@crate/service-host';
import type { EngineRunRepository } from '../engine/engine-run.repository.js';
import type { EngineLockView } from '../engine-state/engine-lock-view.js';

/** The oldest. */
const MOST = 100;

/** Which engines work on which cluster: live or orphaned as their locks are shown. */
export function engineStatus(
  { database }: Pick<Foundation, 'database'>,
  runs: Pick<EngineRunRepository, 'listOpen'>,
  locks: Pick<EngineLockView, 'of'>,
): StatusParts {
  return {
    runs: async () => {
      const open = await runs.listOpen(MOST);
      const names = await objectNames(
        database,
        open.map(({ clusterUid }) => clusterUid),
      );
      return Promise.all(
        open.map(async (run): Promise<RunReport> => {
          const object = names(run.clusterUid);
          const { holder, operation, since, state } = await locks.of(run, { namespace: '', ...object });
          return { program: 'rke', operation, ...object, holder, since, epoch: String(run.epoch), state };
        }),
      );
    },
  };
}
