import { describe, expect, it } from '@jest/globals';
import { InMemoryMetrics } from '@crate/telemetry';
import { observeReports } from './report.metrics.js';

describe('metrics of reports', () => {
  it('tell violations by level and effect, and also when the last of a kind has gone', async () => {
    const metrics = new InMemoryMetrics();
    let found: Record<string, number> = { 'must/deny': 3, 'should/warn': 1 };
    const counts = () => Promise.resolve([{ stage: 'Manifest' as const, documents: 12 }]);
    observeReports(metrics, { violations: () => Promise.resolve(found) }, { counts });

    await metrics.text();
    expect(metrics.value('crate_policy_violations', { level: 'must', effect: 'deny' })).toBe(3);
    expect(metrics.value('crate_policy_remembered_documents', { stage: 'Manifest' })).toBe(12);

    found = { 'should/warn': 1 };
    await metrics.text();
    expect(metrics.value('crate_policy_violations', { level: 'must', effect: 'deny' })).toBe(0);
    expect(metrics.value('crate_policy_violations', { level: 'should', effect: 'warn' })).toBe(1);
  });
});
