import type { CloudAccount } from '@crate/api';
import type { SubresourceHandler } from '@crate/resource-server';
import type { OrphanSweep } from './orphan-sweep.js';

const LONGEST_LOOK_MS = 25_000;

/** Looks and tells (`get`), or has it done (`create`), which answers with what is going to be done. */
export function serveSweep(
  sweep: Pick<OrphanSweep, 'report'>,
  wake: (account: CloudAccount) => Promise<void>,
): SubresourceHandler {
  const look = (account: CloudAccount, signal: AbortSignal | undefined): ReturnType<OrphanSweep['report']> => {
    const deadline = AbortSignal.timeout(LONGEST_LOOK_MS);
    return sweep.report(account, signal ? AbortSignal.any([signal, deadline]) : deadline);
  };
  return {
    read: (object, _, { signal }) => look(object as CloudAccount, signal),
    write: async (object, _, { dryRun }, { signal }) => {
      const report = await look(object as CloudAccount, signal);
      if (!dryRun) await wake(object as CloudAccount);
      return report;
    },
  };
}
