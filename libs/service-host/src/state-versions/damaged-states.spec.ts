import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { InMemoryMetrics } from '@crate/telemetry';
import { describe, expect, it } from '@jest/globals';
import { observeDamagedStates } from './damaged-states.js';

const ROOT = new URL('../../../../', import.meta.url);
const file = (path: string): string => fileURLToPath(new URL(path, ROOT));

describe('the number of damaged states', () => {
  it('is told by what was found, at each scrape, and goes when a person has decided', async () => {
    const found = new Map([['status.failure.code=StateForeign', 2]]);
    const list = ({ fieldSelector }: { readonly fieldSelector: string }): Promise<readonly unknown[]> =>
      Promise.resolve(Array.from({ length: found.get(fieldSelector) ?? 0 }));
    const metrics = new InMemoryMetrics();
    observeDamagedStates(metrics, { list }, ['StateTampered', 'StateForeign']);
    const told = async (reason: string): Promise<number | undefined> => {
      await metrics.text();
      return metrics.value('crate_damaged_states', { reason });
    };
    expect([await told('StateTampered'), await told('StateForeign')]).toEqual([0, 2]);
    found.clear();
    expect(await told('StateForeign')).toBe(0);
  });

  it('is what the alert that is shipped looks at', async () => {
    expect(await readFile(file('deploy/prometheus/alerts/states.yaml'), 'utf8')).toContain('(crate_damaged_states)');
  });
});
