import { describe, expect, it } from '@jest/globals';
import type { KeyUse, RenewalOptions, RenewalProgress } from '@crate/secrets';
import { InMemoryLogger, PrometheusMetrics } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { KeyRotation } from './key-rotation.js';

class ScriptedRenewal {
  runs = 0;
  due = true;
  used: readonly KeyUse[] = [{ keyId: 'old', records: 3 }];

  async isDue(): Promise<boolean> {
    return Promise.resolve(this.due);
  }

  async uses(): Promise<readonly KeyUse[]> {
    return Promise.resolve(this.used);
  }

  async run({ onFailure }: RenewalOptions = {}): Promise<RenewalProgress> {
    this.runs += 1;
    this.due = false;
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
});
