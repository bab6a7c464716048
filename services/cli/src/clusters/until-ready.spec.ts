import { describe, expect, it } from '@jest/globals';
import type { Cluster } from '@crate/api';
import type { ApiClient } from '../client/api-client.js';
import { aCluster, readyStatus } from '../testing/a-cluster.js';
import { noteOfWhatGoesOn } from '../interruption.js';
import { untilReady, whileClusterGoesOn } from './until-ready.js';

const DAY_MS = 86_400_000;

describe('untilReady', () => {
  it.each([30 * DAY_MS, 365 * DAY_MS, 10_000.5])('waits for up to %d ms', async (timeoutMs) => {
    const answers: Cluster[] = [aCluster(), aCluster(readyStatus())];
    const find = (): Promise<Cluster | undefined> => Promise.resolve(answers.shift());
    const at = { api: { find } as unknown as ApiClient, name: 'demo', path: '/demo' };
    await untilReady(at, timeoutMs);
    expect(answers).toEqual([]);
  });
});

describe('whileClusterGoesOn', () => {
  it('says how to wait for it again, at the same platform', async () => {
    const at = { namespace: 'team-a', name: 'demo', apiFlags: ' --context staging' };
    const note = await new Promise<string | undefined>((resolve) => {
      void whileClusterGoesOn(at, async () => resolve(noteOfWhatGoesOn()));
    });
    expect(note).toMatch(/with: crate wait cluster\/demo -n team-a --for condition=Ready --context staging$/);
  });
});
