import { describe, expect, it } from '@jest/globals';
import type { KeyUse, OlderKeys, RenewalOptions, RenewalProgress } from '@crate/secrets';
import { InMemoryLogger, InMemoryMetrics, PrometheusMetrics } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { KeyRotation } from './key-rotation.js';

class ScriptedRenewal {
  runs = 0;
  looks = 0;
  older: OlderKeys = { present: ['old'], missing: [] };
  used: readonly KeyUse[] = [{ keyId: 'old', records: 3 }];

  async olderKeys(): Promise<OlderKeys> {
    this.looks += 1;
    return Promise.resolve(this.older);
  }

  async uses(): Promise<readonly KeyUse[]> {
    return Promise.resolve(this.used);
  }

  async run({ onFailure }: RenewalOptions = {}): Promise<RenewalProgress> {
    this.runs += 1;
    this.older = { ...this.older, present: [] };
    this.used = [{ keyId: 'new', records: 3 }];
    onFailure?.(new Error('damaged'), { ownerUid: 'a', kind: 'state', serial: 1 });
    return Promise.resolve({ renewed: 3, failed: 1 });
  }
}

describe('KeyRotation', () => {
  it('moves records when they stand under an older key, and does nothing once they do not', async () => {
    const [renewal, logger] = [new ScriptedRenewal(), new InMemoryLogger()];
    const metrics = new PrometheusMetrics({ service: 'test', processMetrics: false });
    const rotation = new KeyRotation({ renewal, everyMs: 5, logger, metrics });
    expect(await metrics.text()).toContain('crate_secret_records{key_id="old",service="test"} 3');
    rotation.start();
    await eventually(() => renewal.runs === 1);
    await new Promise((next) => setTimeout(next, 50));
    await rotation.stop();
    expect(renewal.runs).toBe(1);
    expect(logger.lines).toContainEqual(
      expect.objectContaining({ fields: expect.objectContaining({ ownerUid: 'a', secretKind: 'state', serial: 1 }) }),
    );
    const text = await metrics.text();
    expect(text).toContain('crate_secret_records{key_id="old",service="test"} 0');
    expect(text).toContain('crate_secret_records{key_id="new",service="test"} 3');
    expect(text).toContain('crate_secret_renewal_failures_total{service="test"} 1');
  });

  it('runs for no key that is not there, tells of it once, and goes on once it is there', async () => {
    const [renewal, logger] = [new ScriptedRenewal(), new InMemoryLogger()];
    const metrics = new InMemoryMetrics();
    const rotation = new KeyRotation({ renewal, everyMs: 5, logger, metrics });
    const told = (): number => logger.lines.filter(({ fields }) => fields['keyId'] === 'lost').length;
    renewal.older = { present: [], missing: ['lost'] };
    rotation.start();
    await eventually(() => renewal.looks >= 5);
    expect([renewal.runs, told()]).toEqual([0, 1]);
    // The alert stays for as long as the key is away.
    expect(metrics.value('crate_secret_renewal_failures_total')).toBeGreaterThanOrEqual(4);

    renewal.older = { present: ['lost'], missing: [] };
    await eventually(() => renewal.runs === 1);
    renewal.older = { present: [], missing: ['lost'] };
    await eventually(() => told() === 2);
    await rotation.stop();
  });
});
