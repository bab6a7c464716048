import { describe, expect, it } from '@jest/globals';
import { PlatformError, type ErrorCode } from '@crate/errors';
import type { TargetCluster } from '@crate/kubernetes';
import { applyObjects } from './platform-chart.js';

const OBJECT = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'crate-system' } };

/** Answers the object with these refusals first. */
function clusterWith(refusals: PlatformError[]): TargetCluster {
  const applyObject = ({ kind }: { readonly kind: string }): Promise<void> => {
    const refusal = kind === OBJECT.kind ? refusals.shift() : undefined;
    return refusal ? Promise.reject(refusal) : Promise.resolve();
  };
  return { applyObject } as unknown as TargetCluster;
}

describe('applyObjects', () => {
  it('waits for what the cluster makes by itself, and says what for where that takes long', async () => {
    const said: string[] = [];
    const missing = Array.from({ length: 4 }, () => new PlatformError('Forbidden', 'no ServiceAccount'));
    const refusals = [...missing, new PlatformError('Unavailable', 'not now')];
    await applyObjects(clusterWith(refusals), [OBJECT], (line) => said.push(line));
    expect(refusals).toEqual([]);
    expect(said).toEqual([
      'Waiting for ConfigMap settings: no ServiceAccount',
      'Waiting for ConfigMap settings: not now',
    ]);
  });

  it('says nothing of a moment', async () => {
    const said: string[] = [];
    const refusals = [new PlatformError('Forbidden', 'no ServiceAccount')];
    await applyObjects(clusterWith(refusals), [OBJECT], (line) => said.push(line));
    expect(said).toEqual([]);
  });

  it.each<{ readonly code: ErrorCode; readonly reason: string }>([
    { code: 'Unauthenticated', reason: 'the kubeconfig is of nobody' },
    { code: 'InvalidSpec', reason: 'an admission webhook denies it' },
  ])('ends at once with the name of the object where $reason', async ({ code }) => {
    const refusals = [new PlatformError(code, 'no', { details: { reason: 'Said' } })];
    await expect(applyObjects(clusterWith(refusals), [OBJECT], () => undefined)).rejects.toMatchObject({
      code,
      message: 'ConfigMap settings: no',
      details: { reason: 'Said' },
    });
  });
});
