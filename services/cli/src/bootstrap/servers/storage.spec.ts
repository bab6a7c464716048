import { describe, expect, it } from '@jest/globals';
import { InMemoryTargetCluster } from '@crate/kubernetes';
import { storageOf } from './storage.js';

const STANDARD = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' };
const DEFAULT = { 'storageclass.kubernetes.io/is-default-class': 'true' };

async function aCluster(
  ...metadata: readonly { name: string; annotations?: Record<string, string> }[]
): Promise<InMemoryTargetCluster> {
  const cluster = new InMemoryTargetCluster();
  for (const each of metadata) await cluster.applyObject({ ...STANDARD, metadata: each }, { fieldManager: 'test' });
  return cluster;
}

describe('storageOf', () => {
  it.each([
    { reason: 'the named one is there', named: 'fast', want: { storageClass: 'fast' } },
    { reason: 'nobody named one, and there is a default', named: undefined, want: {} },
  ])('gives a volume where $reason', async ({ named, want }) => {
    const cluster = await aCluster({ name: 'fast' }, { name: 'gp3', annotations: DEFAULT });
    expect(await storageOf(cluster, named)).toEqual({ size: '20Gi', ...want });
  });

  it.each([{ named: 'other' }, { named: undefined }])('refuses where none would be made: %o', async ({ named }) => {
    const cluster = await aCluster({ name: 'fast' });
    await expect(storageOf(cluster, named)).rejects.toMatchObject({ details: { reason: 'StorageMissing' } });
  });
});
