import { describe, expect, it } from '@jest/globals';
import { InMemoryMetrics } from '@crate/telemetry';
import { engineRunDurations } from './run-metrics.js';

describe('how long engines take', () => {
  it('is there before the first run, by each end: the first failure of a process counts as well', async () => {
    const metrics = new InMemoryMetrics();
    engineRunDurations(metrics);
    const text = await metrics.text();
    for (const kind of ['up', 'remove'])
      for (const outcome of ['Succeeded', 'SshUnreachable', 'ControlPlaneFailed', 'EngineFailed', 'Timeout'])
        expect(text).toContain(`crate_engine_run_seconds{kind="${kind}",outcome="${outcome}"} 0\n`);
  });
});
