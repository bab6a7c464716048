import { describe, expect, it } from '@jest/globals';
import type { ServiceAnswer } from './service-answers.js';
import { StatusReader } from './status-reader.js';

const OWN = {
  version: '0.1.0',
  nats: { connected: true, reconnects: 0 },
  hasJetStream: false,
  upgrade: { available: null, reason: 'UpToDate', message: '' },
};

function reader(ask: () => Promise<readonly ServiceAnswer[]>, now: () => number): StatusReader {
  return new StatusReader({ answers: { ask }, own: () => Promise.resolve(OWN), now });
}

describe('StatusReader', () => {
  it('asks services once a second, however many look', async () => {
    let [asked, now] = [0, 0];
    const status = reader(
      () => {
        asked += 1;
        return Promise.resolve([]);
      },
      () => now,
    );
    await Promise.all([status.read(), status.read(), status.read()]);
    now = 999;
    await status.read();
    expect(asked).toBe(1);
    now = 1_000;
    await status.read();
    expect(asked).toBe(2);
  });

  it('asks again after a failure, and hands that to whoever waited', async () => {
    let asked = 0;
    const status = reader(
      () => (asked++ === 0 ? Promise.reject(new Error('No')) : Promise.resolve([])),
      () => 0,
    );
    await expect(Promise.all([status.read(), status.read()])).rejects.toThrow('No');
    expect((await status.read()).kind).toBe('PlatformStatus');
  });
});
