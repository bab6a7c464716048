import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { KubeObject } from '@crate/api';
import type { ApiClient } from '../client/api-client.js';
import { waitForAll, type Awaited } from './waiting.js';

describe('waitForAll', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('asks for a few objects at once, however many there are', async () => {
    const said = jest.spyOn(console, 'log').mockImplementation(() => undefined);
    let [now, most] = [0, 0];
    const find = async (): Promise<KubeObject> => {
      most = Math.max(most, (now += 1));
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      return {} as KubeObject;
    };
    const awaited = Array.from({ length: 50 }, (_, index): Awaited => {
      const name = `cluster/c${index}`;
      return { name, path: `/${name}`, holds: () => true, mayBeAbsent: false, done: `${name} is Ready` };
    });
    await waitForAll({ find } as unknown as ApiClient, awaited, { timeoutMs: 60_000, late: 'is not Ready' });
    expect(most).toBeLessThanOrEqual(10);
    expect(said).toHaveBeenCalledTimes(50);
  });
});
