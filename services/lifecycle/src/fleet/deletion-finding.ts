import { conditionMessage, findCondition, type Blocker, type Cluster } from '@crate/api';
import { DELETION_BLOCKED } from '@crate/reconcile';
import type { Finding } from './finding.js';

/** How long a deletion may take in which nothing is known to be in the way. */
const PATIENCE_MS = 60 * 60_000;

/** How a deletion stands: what has been in the way the longest, what a person can do something about first. */
export function deletionFinding({ metadata, status }: Cluster): Finding {
  const { deletionTimestamp = '' } = metadata;
  const condition = findCondition(status?.conditions, 'Deleting');
  const blockers = [...(status?.deletion?.blockers ?? [])].sort(byUrgency);
  const [blocker] = blockers;
  if (blocker) {
    const cause = causeOf(blocker, blockers.length - 1);
    if (condition?.reason === DELETION_BLOCKED) return { health: 'Blocked', concern: 'Stuck', cause };
    return { health: 'Deleting', concern: 'UnderWay', cause };
  }
  const message = condition?.status === 'True' ? condition.message : 'Being deleted';
  const cause = { condition: 'Deleting', reason: 'DeletionRequested', message, since: deletionTimestamp };
  const later = { health: 'Deleting', concern: 'Lasting', atMs: Date.parse(deletionTimestamp) + PATIENCE_MS } as const;
  return { health: 'Deleting', concern: 'UnderWay', cause, later };
}

function byUrgency(left: Blocker, right: Blocker): number {
  const difference = Number(right.remedy !== undefined) - Number(left.remedy !== undefined);
  return difference || left.since.localeCompare(right.since);
}

function causeOf({ kind, name, reason, message, since, remedy }: Blocker, others: number): Finding['cause'] {
  const more = others === 0 ? '' : ` (and ${others} more)`;
  const said = {
    condition: 'Deleting',
    reason,
    message: conditionMessage(`${kind} ${name}: ${message}${more}`),
    since,
  };
  return remedy === undefined ? said : { ...said, remedy };
}
