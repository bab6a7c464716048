import { PrometheusMetrics } from '@crate/telemetry';
import { expect, it } from '@jest/globals';
import { sweeps } from './sweep-metrics.js';

it.each(['looked', 'failed'])('counts no sweep that %s before the first one', async (outcome) => {
  const metrics = new PrometheusMetrics({ service: 'cloud-mgmt', processMetrics: false });
  sweeps(metrics);
  expect(await metrics.text()).toContain(`crate_sweeps_total{outcome="${outcome}",service="cloud-mgmt"} 0\n`);
});
