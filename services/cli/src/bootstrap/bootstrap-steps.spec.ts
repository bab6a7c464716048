import type { Condition } from '@crate/api';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFile, rm } from 'node:fs/promises';
import { temporaryDataDir } from '../testing/temporary-data-dir.js';
import { BootstrapDir } from './bootstrap-dir.js';
import { accountNotReady } from './account-not-ready.js';
import { account, singleton } from './bootstrap-steps.js';
import type { BootstrapScope } from './scope.js';

let dir: BootstrapDir;
let platform: PlayedPlatform;
beforeEach(async () => {
  dir = new BootstrapDir((await temporaryDataDir()).root);
  platform = new PlayedPlatform();
});
afterEach(async () => rm(dir.root, { recursive: true }));

/** Reads its settings when it starts, as the real one does. */
class PlayedPlatform {
  settings: string | undefined;
  starts = 0;

  async ensure(): Promise<void> {
    if (this.settings !== undefined) return;
    this.settings = await readFile(dir.serviceSettings(), 'utf8');
    this.starts += 1;
  }

  end(): Promise<void> {
    this.settings = undefined;
    return Promise.resolve();
  }
}

async function run(networks: string): Promise<void> {
  const target = { serviceSettings: { CRATE_MANAGEMENT_CIDRS: networks } };
  await singleton({ dir, target, singleton: platform } as unknown as BootstrapScope);
}

describe('the temporary platform', () => {
  it('lets in whom it is told to, though it runs already', async () => {
    await run('192.0.2.1/32');
    await run('198.51.100.7/32');
    expect(platform.settings).toBe('CRATE_MANAGEMENT_CIDRS=198.51.100.7/32\n');
  });

  it('goes on running where nothing is asked for otherwise', async () => {
    await run('192.0.2.1/32');
    await run('192.0.2.1/32');
    expect(platform.starts).toBe(1);
  });

  it('is told the next time, where whoever ended it was killed before the settings were written', async () => {
    await run('192.0.2.1/32');
    await platform.end();
    await run('198.51.100.7/32');
    expect(platform.settings).toContain('198.51.100.7/32');
  });
});

describe('the account', () => {
  const conditions = [
    ready('Unknown', 'ProviderUnavailable', 'The proxy does not answer'),
    ready('Unknown', 'ProviderUnavailable', 'The proxy does not answer'),
    ready('False', 'CredentialsRejected', 'The key is unknown'),
    ready('True', 'Ready', ''),
  ];

  it('says what it waits for, each thing once', async () => {
    const left = [...conditions];
    const api = {
      get: () =>
        Promise.resolve({
          resources: [
            { name: 'projects', kind: 'Project' },
            { name: 'cloudaccounts', kind: 'CloudAccount', namespaced: true },
          ],
        }),
      apply: () => Promise.resolve(),
      find: () => Promise.resolve({ metadata: { generation: 1 }, status: { conditions: [left.shift()] } }),
    };
    const said: string[] = [];
    await account({
      request: { account: '111122223333' },
      target: { provider: 'aws' },
      singleton: { api: () => Promise.resolve(api) },
      say: (line: string) => said.push(line),
    } as unknown as BootstrapScope);
    expect(left).toEqual([]);
    expect(said).toEqual([
      'Waiting for account 111122223333: The proxy does not answer',
      'Waiting for account 111122223333: The key is unknown',
    ]);
  });

  it.each([
    { reason: 'credentials where the cloud has refused them', ready: conditions[2], want: /credentials are of/ },
    { reason: 'no credentials where it does not answer', ready: conditions[0], want: /^Run the command again/ },
    { reason: 'no credentials where nothing is known yet', ready: undefined, want: /^Run the command again/ },
  ])('blames $reason', ({ ready: given, want }) => {
    const { message, details } = accountNotReady('111122223333', given);
    expect(message).toBe(`AccountNotReady: ${given?.message ?? 'Account 111122223333 is not ready'}`);
    expect(details.remedy).toMatch(want);
  });
});

function ready(status: Condition['status'], reason: string, message: string): Condition {
  return { type: 'Ready', status, reason, message, lastTransitionTime: '', observedGeneration: 1 };
}
