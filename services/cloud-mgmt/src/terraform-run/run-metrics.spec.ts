import { describe, expect, it } from '@jest/globals';
import { RUN_HELD } from '@crate/api';
import { PlatformError } from '@crate/errors';
import { heldByRecovery } from '@crate/service-host';
import { PrometheusMetrics } from '@crate/telemetry';
import { countedAs, runDurations } from './run-metrics.js';

describe('durations of Terraform runs', () => {
  it.each(['apply', 'destroy', 'check'])('have series of %s before the first run', async (kind) => {
    const metrics = new PrometheusMetrics({ service: 'cloud-mgmt', processMetrics: false });
    runDurations(metrics);
    for (const outcome of ['succeeded', 'failed']) {
      expect(await metrics.text()).toContain(`_count{service="cloud-mgmt",kind="${kind}",outcome="${outcome}"} 0\n`);
    }
  });
});

describe('a run whose plan was not let through', () => {
  const held = new PlatformError('Forbidden', 'held', { details: { reason: RUN_HELD } });
  const rejected = new PlatformError('Forbidden', 'rejected', { details: { reason: 'CredentialsRejected' } });

  it.each([
    ['failed', held, 'refused'],
    ['failed', heldByRecovery('it would be destroyed'), 'refused'],
    ['interrupted', held, 'interrupted'],
    ['failed', rejected, 'failed'],
    ['failed', new Error('No'), 'failed'],
    ['succeeded', undefined, 'succeeded'],
  ] as const)('is no failure of Terraform: %s by %s counts as %s', (end, cause, expected) => {
    expect(countedAs(end, cause)).toBe(expected);
  });
});
