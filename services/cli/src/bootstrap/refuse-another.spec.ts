import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BootstrapDir } from './bootstrap-dir.js';
import { Journal } from './journal.js';
import { refuseAnother } from './refuse-another.js';
import type { BootstrapRequest } from './request.js';
import { ROLLING_BACK } from './roll-back.js';

const REQUEST = {
  ...{ cloud: 'sandbox', name: 'platform', region: 'us-east-1', account: '111122223333', hosts: [] },
  ...{ kubernetesVersion: 'v1.31.4', controlPlane: 3, nodes: 3, machineType: 'm5.xlarge', managementNetworks: [] },
  ...{ timeoutMs: 1, drainTimeoutMs: 1 },
} as const satisfies BootstrapRequest;

let dir: BootstrapDir;
beforeEach(async () => {
  dir = new BootstrapDir(await mkdtemp(join(tmpdir(), 'crate-refuse-')));
});
afterEach(() => rm(dir.root, { recursive: true }));

async function done(...steps: readonly string[]): Promise<void> {
  const journal = await Journal.open(dir.journal(), REQUEST);
  for (const step of steps) await journal.add(step);
}

describe('refuseAnother', () => {
  it('lets the same go on, at every step, and what was not begun begin', async () => {
    await refuseAnother(dir, REQUEST);
    await done('preflight', 'cluster', 'retire');
    await refuseAnother(dir, { ...REQUEST, timeoutMs: 2, hosts: ['crate.example.com'] });
  });

  it('refuses a platform of another name, or with servers that it did not have', async () => {
    await done('preflight');
    const others = [{ name: 'other' }, { databaseUrlFile: '/db.url' }];
    for (const other of others) {
      await expect(refuseAnother(dir, { ...REQUEST, ...other })).rejects.toThrow(/^RequestChanged: .* belongs to /);
    }
  });

  it('refuses other machines once they were asked for, and says which way they are changed', async () => {
    await done('preflight', 'singleton');
    await refuseAnother(dir, { ...REQUEST, nodes: 5 });
    await done('cluster');
    await expect(refuseAnother(dir, { ...REQUEST, nodes: 5, machineType: 'm5.large' })).rejects.toMatchObject({
      message:
        'RequestChanged: The platform cluster was asked for with --nodes 3 (not 5), --machine-type m5.xlarge (not m5.large)',
      details: { remedy: expect.stringContaining('crate clusters scale platform -n crate-platform') },
    });
  });

  it('refuses what is taken back', async () => {
    await done('preflight', ROLLING_BACK);
    await expect(refuseAnother(dir, REQUEST)).rejects.toThrow(/^RollingBack: /);
  });
});
