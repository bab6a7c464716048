import type { Metrics } from '@crate/telemetry';

/** Those whose states they are; they say in their status what was found. */
interface Owners {
  list(options: { readonly fieldSelector: string }): Promise<readonly unknown[]>;
}

/** Tells how many states are damaged, by what was found (`codes`), as the statuses of their owners say: every replica tells the same. */
export function observeDamagedStates(metrics: Metrics, owners: Owners, codes: readonly string[]): void {
  metrics.gauge({
    name: 'crate_damaged_states',
    help: 'Stored states that are not what was stored last, by what was found; nothing is done with them until a person has decided.',
    labels: ['reason'],
    collect: async (gauge) => {
      for (const reason of codes) {
        const found = await owners.list({ fieldSelector: `status.failure.code=${reason}` });
        gauge.set(found.length, { reason });
      }
    },
  });
}
