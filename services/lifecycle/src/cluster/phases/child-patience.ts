import type { Cluster } from '@crate/api';
import type { Outcome } from '@crate/reconcile';

/** Of the time that went by since anything moved. */
const PATIENCE = 0.1;
/** Less than what the engine takes for a wait until a certain time, with which the trace of what made the key due would end. */
const LONGEST_POLL_MS = 110_000;

/**
 * Stretches the wait for a child by how long nothing has moved in the cluster: its watch wakes the key, and a look for what no watch has told
 * need not come oftener than it matters. Otherwise clusters that wait together would do little but look.
 */
export function withPatience(outcome: Outcome, { status }: Cluster, now: Date): Outcome {
  if (outcome.kind === 'settled') return outcome;
  const moves = (status?.conditions ?? []).map(({ lastTransitionTime }) => Date.parse(lastTransitionTime));
  const stillMs = moves.length === 0 ? 0 : now.getTime() - Math.max(...moves);
  const patienceMs = Math.min(PATIENCE * stillMs, LONGEST_POLL_MS);
  return { ...outcome, retryAfterMs: Math.max(outcome.retryAfterMs, patienceMs) };
}
