import { describe, expect, it } from '@jest/globals';
import { checkHealth } from './health.js';
import { InMemoryTargetCluster } from './in-memory-target-cluster.js';

/** Never answers, until told to stop. */
class DeafCluster extends InMemoryTargetCluster {
  override version(signal?: AbortSignal): Promise<string> {
    return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));
  }
}

describe('checkHealth', () => {
  it('tells the version of a cluster that answers', async () => {
    expect(await checkHealth(new InMemoryTargetCluster(), 1000)).toEqual({ healthy: true, version: 'v1.31.4' });
  });

  it('tells why a cluster is not reached', async () => {
    const cluster = new InMemoryTargetCluster();
    cluster.isDown = true;

    expect(await checkHealth(cluster, 1000)).toMatchObject({ healthy: false, reason: 'ConnectionDown' });
  });

  it('waits no longer than it may', async () => {
    expect(await checkHealth(new DeafCluster(), 10)).toMatchObject({ healthy: false, reason: 'ConnectionDown' });
  });
});
