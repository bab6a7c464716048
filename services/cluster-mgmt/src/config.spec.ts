import { describe, expect, it } from '@jest/globals';
import { parseConfig } from '@crate/config';
import { clusterMgmtConfig } from './config.js';

const environment = {
  CRATE_DATABASE_URL: 'postgresql://localhost/crate',
  CRATE_NATS_URL: 'nats://localhost:4222',
  CRATE_NATS_USER: 'cluster-mgmt',
  CRATE_NATS_PASSWORD: 'secret',
  CRATE_KEYS_PRIVATE_DIR: '/keys',
  CRATE_KEYS_TRUST_DIR: '/trust',
  CRATE_ENCRYPTION_KEYS_DIR: '/encryption',
  CRATE_WORKSPACES_DIR: '/workspaces',
  PATH: '/opt/bin',
};

describe('clusterMgmtConfig', () => {
  it('finds programs by PATH and has a default for everything else', () => {
    expect(parseConfig(clusterMgmtConfig, environment)).toMatchObject({
      rkeBinary: 'rke',
      path: '/opt/bin',
      workspacesDir: '/workspaces',
      sshUser: 'ubuntu',
      engine: { timeoutMs: 2_700_000 },
    });
  });

  it('reads durations and numbers', () => {
    const config = parseConfig(clusterMgmtConfig, {
      ...environment,
      CRATE_RKE_BINARY: '/opt/rke',
      CRATE_ENGINE_CONCURRENCY: '3',
      CRATE_ENGINE_TIMEOUT_MS: '90m',
      CRATE_REMOVAL_PATIENCE_MS: '30s',
    });

    expect(config).toMatchObject({ rkeBinary: '/opt/rke', engine: { concurrency: 3, timeoutMs: 5_400_000 } });
    expect(config.removalPatienceMs).toBe(30_000);
  });
});
