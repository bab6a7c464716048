import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AwsTarget } from './aws-target.js';
import { BootstrapDir } from './bootstrap-dir.js';
import { Journal } from './journal.js';
import { removalRequest } from './removal-request.js';
import type { BootstrapRequest } from './request.js';

const INSTALLED = {
  ...{ cloud: 'aws', name: 'platform', region: 'us-east-1', account: '111122223333', hosts: [] },
  ...{ kubernetesVersion: 'v1.32.4', controlPlane: 3, nodes: 3, machineType: 'm5.xlarge' },
  ...{ managementNetworks: ['198.51.100.7/32'], timeoutMs: 1, drainTimeoutMs: 1 },
} as const satisfies BootstrapRequest;
const NOW = ['192.0.2.9/32', '203.0.113.0/24'];

let dir: BootstrapDir;
beforeEach(async () => {
  dir = new BootstrapDir(await mkdtemp(join(tmpdir(), 'crate-removal-')));
});
afterEach(() => rm(dir.root, { recursive: true }));

describe('removalRequest', () => {
  it('is that of the bootstrap', async () => {
    expect(await removalRequest(INSTALLED, dir, undefined)).toEqual(INSTALLED);
  });

  it('lets in whom the removal names: the temporary platform would close what it knows nothing of', async () => {
    const request = await removalRequest(INSTALLED, dir, NOW);
    expect(request).toEqual({ ...INSTALLED, managementNetworks: NOW });
    expect(new AwsTarget(request, undefined).serviceSettings).toMatchObject({ CRATE_MANAGEMENT_CIDRS: NOW.join() });
  });

  it('lets in the same when it goes on, until others are named', async () => {
    const journal = await Journal.open(dir.removalJournal(), await removalRequest(INSTALLED, dir, NOW));
    await journal.add('clusters');
    expect(await removalRequest(INSTALLED, dir, undefined)).toMatchObject({ managementNetworks: NOW });
    expect(await removalRequest(INSTALLED, dir, ['192.0.2.1/32'])).toMatchObject({
      managementNetworks: ['192.0.2.1/32'],
    });
  });
});
