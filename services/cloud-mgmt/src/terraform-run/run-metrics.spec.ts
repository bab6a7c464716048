import { describe, expect, it } from '@jest/globals';
import { PrometheusMetrics } from '@crate/telemetry';
import { runDurations } from './run-metrics.js';

describe('durations of Terraform runs', () => {
  it.each(['apply', 'destroy', 'check'])('have series of %s before the first run', async (kind) => {
    const metrics = new PrometheusMetrics({ service: 'cloud-mgmt', processMetrics: false });
    runDurations(metrics);
    for (const outcome of ['succeeded', 'failed']) {
      expect(await metrics.text()).toContain(`_count{service="cloud-mgmt",kind="${kind}",outcome="${outcome}"} 0\n`);
    }
  });
});
