import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { InMemoryMetrics } from '@crate/telemetry';
import { describe, expect, it } from '@jest/globals';
import { observeRecovery } from './recovery-metrics.js';
import type { OpenRecovery } from './recovery-state.js';

const ROOT = new URL('../../../../', import.meta.url);
const file = (path: string): string => fileURLToPath(new URL(path, ROOT));

describe('the metric of a recovery', () => {
  it('is 1 until a person confirms', async () => {
    let open: OpenRecovery | undefined = { epoch: 1, begunAt: new Date(), reason: 'older' };
    const metrics = new InMemoryMetrics();
    observeRecovery(metrics, { find: () => Promise.resolve(open) });
    const told = async (): Promise<number | undefined> => {
      await metrics.text();
      return metrics.value('crate_recovering');
    };
    expect(await told()).toBe(1);
    open = undefined;
    expect(await told()).toBe(0);
  });

  it('is what the alert that is shipped looks at, as is that of secrets', async () => {
    const rules = await readFile(file('deploy/prometheus/alerts/recovery.yaml'), 'utf8');
    expect(rules).toContain('(crate_recovering)');
    expect(rules).toContain('crate_secret_renewal_failures_total[');
  });
});
