import { DURATION_BUCKETS, type Histogram, type Metrics } from '@crate/telemetry';
import { ENGINE_FAILURE_CODES } from './engine-failure.js';
import type { EngineCommand } from './engine-run.repository.js';

/** How a run ended that did what it was for; any other ended with the code of its failure. */
export const SUCCEEDED = 'Succeeded';

const COMMANDS = ['up', 'remove'] as const satisfies readonly EngineCommand[];

/** How long engines take. The known ends are there from the start, so that the first failure of a process is an increase. */
export function engineRunDurations(metrics: Metrics): Histogram {
  const durations = metrics.histogram({
    name: 'crate_engine_run_seconds',
    help: 'Duration of engine runs by what they were for and how they ended.',
    labels: ['kind', 'outcome'],
    buckets: DURATION_BUCKETS,
  });
  for (const kind of COMMANDS)
    for (const outcome of [SUCCEEDED, ...ENGINE_FAILURE_CODES]) durations.start({ kind, outcome });
  return durations;
}
