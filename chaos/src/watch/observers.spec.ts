import { expect, it } from '@jest/globals';
import { eventually } from '@crate/testing';
import type { ApiClient } from '../platform/api-client.js';
import type { ChaosPlatform } from '../platform/chaos-platform.js';
import { FOLLOWED } from '../world/followed.js';
import { Observers } from './observers.js';

it('nobody looks on any more once the work has failed', async () => {
  const watches: AbortSignal[] = [];
  const api = {
    send: () => Promise.resolve({ status: 200, body: { metadata: { resourceVersion: '5' } } }),
    stream: async (_path: string, signal: AbortSignal) => {
      watches.push(signal);
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('ended')));
      });
    },
  } as unknown as ApiClient;
  const platform = { finderOf: () => ({ look: () => [] }) } as unknown as ChaosPlatform;
  const work = async (): Promise<void> => {
    await eventually(() => Promise.resolve(watches.length === Object.keys(FOLLOWED).length));
    throw new Error('nobody can work');
  };
  await expect(Observers.during(platform, [api], work)).rejects.toThrow('nobody can work');
  expect(watches.map(({ aborted }) => aborted)).toEqual(Object.keys(FOLLOWED).map(() => true));
});
