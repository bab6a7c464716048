import { describe, expect, it } from '@jest/globals';
import { removeCommand } from '../commands/remove.command.js';
import { AwsTarget } from './aws-target.js';
import { removalRequest } from './removal-request.js';
import type { BootstrapRequest } from './request.js';

const INSTALLED = {
  ...{ cloud: 'aws', name: 'platform', region: 'us-east-1', account: '111122223333', hosts: [] },
  ...{ kubernetesVersion: 'v1.32.4', controlPlane: 3, nodes: 3, machineType: 'm5.xlarge' },
  ...{ managementNetworks: ['198.51.100.7/32'], timeoutMs: 1, drainTimeoutMs: 1 },
} as const satisfies BootstrapRequest;
const NOW = ['192.0.2.9/32', '203.0.113.0/24'];

describe('removalRequest', () => {
  it('is that of the bootstrap, but for its patience', () => {
    expect(removalRequest(INSTALLED, { timeout: 60_000 })).toEqual({ ...INSTALLED, timeoutMs: 60_000 });
    expect(removeCommand().opts()).toMatchObject({ timeout: 3_600_000 });
  });

  it('lets in whom the removal names: the temporary platform would close what it knows nothing of', () => {
    const request = removalRequest(INSTALLED, { timeout: 60_000, managementNetworks: NOW });
    expect(request.managementNetworks).toEqual(NOW);
    expect(new AwsTarget(request, undefined).serviceSettings).toMatchObject({ CRATE_MANAGEMENT_CIDRS: NOW.join() });
  });

  it('knows where the password of a database of your own is by now, and of no other database', () => {
    const own = { ...INSTALLED, databaseUrlFile: '/old.url' };
    const removal = { timeout: 1, databaseUrlFile: '/new.url' };
    expect(removalRequest(own, removal)).toMatchObject({ databaseUrlFile: '/new.url' });
    expect(removalRequest(own, { timeout: 1 })).toMatchObject({ databaseUrlFile: '/old.url' });
    expect(() => removalRequest(INSTALLED, removal)).toThrow(
      /^RequestChanged: PostgreSQL of platform is in its cluster/,
    );
  });
});
