import { describe, expect, it } from '@jest/globals';
import { toTimestamp, type Cluster, type Condition } from '@crate/api';
import { settled, waiting } from '@crate/reconcile';
import { aCluster } from '../../testing/a-cluster.js';
import { withPatience } from './child-patience.js';
import { CHILD_POLL_MS } from './child.js';

const NOW = new Date('2026-01-01T12:00:00Z');
const WAITING = waiting('WaitingForInfrastructure', CHILD_POLL_MS);

/** A cluster whose conditions moved so long ago. */
function movedBefore(...seconds: readonly number[]): Cluster {
  const conditions = seconds.map((before, index): Condition => {
    const lastTransitionTime = toTimestamp(new Date(NOW.getTime() - before * 1000));
    return { type: `Type${index}`, status: 'False', reason: 'Waiting', message: '', lastTransitionTime };
  });
  return { ...aCluster(), status: { conditions } };
}

describe('the time until a pass that waits for a child looks again', () => {
  it.each([
    { waited: [0], seconds: 15, reason: 'it has only begun' },
    { waited: [120], seconds: 15, reason: 'that is two minutes' },
    { waited: [600], seconds: 60, reason: 'ten minutes: a tenth more does not matter' },
    { waited: [86_400], seconds: 110, reason: 'there is an end to patience' },
    { waited: [86_400, 600, 3_600], seconds: 60, reason: 'the last move counts' },
    { waited: [-60], seconds: 15, reason: 'clocks differ' },
    { waited: [], seconds: 15, reason: 'nothing is known yet' },
  ])('is $seconds s after $waited s: $reason', ({ waited, seconds }) => {
    const outcome = withPatience(WAITING, movedBefore(...waited), NOW);
    expect(outcome).toEqual({ kind: 'waiting', reason: 'WaitingForInfrastructure', retryAfterMs: seconds * 1000 });
  });

  it.each([
    { hours: 0.5, passes: 38 },
    { hours: 2, passes: 87 },
  ])('makes $passes passes in $hours hours', ({ hours, passes }) => {
    let count = 0;
    for (let waited = 0; waited < hours * 3600; count += 1) {
      const outcome = withPatience(WAITING, movedBefore(waited), NOW);
      waited += outcome.kind === 'waiting' ? outcome.retryAfterMs / 1000 : Infinity;
    }
    expect(count).toBe(passes);
  });

  it('is none of a pass that waits for nothing', () => {
    expect(withPatience(settled, movedBefore(86_400), NOW)).toBe(settled);
  });
});
