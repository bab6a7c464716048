import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Manifest } from '@crate/api';
import { badRequest, forbidden, invalidSpec, notFound, PlatformError, type ErrorCode } from '@crate/errors';
import { applyManifests } from './apply-manifests.js';
import { findDrift } from './find-drift.js';
import { InMemoryTargetCluster } from './in-memory-target-cluster.js';

const settings: Manifest = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace: 'apps' },
  data: { key: 'one' },
};
const manifests: Manifest[] = [settings, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apps' } }];
const options = { fieldManager: 'crate', signal: new AbortController().signal, patienceMs: 0 };

const NO_WEBHOOK = new PlatformError('Unavailable', 'failed calling webhook', { details: { reason: 'ClusterError' } });
const SILENCE = new PlatformError('Unavailable', 'Nobody answers', { details: { reason: 'ConnectionDown' } });

let cluster: InMemoryTargetCluster;
beforeEach(() => {
  cluster = new InMemoryTargetCluster();
});

describe('findDrift', () => {
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace: 'apps' };
  beforeEach(() => applyManifests(cluster, manifests, options));

  it('finds none in what was just applied, and writes nothing', async () => {
    cluster.writes.length = 0;

    expect(await findDrift(cluster, manifests, options)).toEqual([]);
    expect(cluster.writes).toEqual([]);
  });

  it('finds what somebody changed', async () => {
    cluster.interfere(ref, (object) => ({ ...object, data: { key: 'two' } }));

    expect(await findDrift(cluster, manifests, options)).toEqual([{ manifest: settings, isSeen: true }]);
  });

  it('finds what somebody removed', async () => {
    cluster.interfere(ref);

    expect(await findDrift(cluster, manifests, options)).toEqual([{ manifest: settings, isSeen: true }]);
  });

  it('finds none where an object is stated twice, and the last was applied', async () => {
    const twice = [{ ...settings, data: { key: 'other' } }, ...manifests];
    await applyManifests(cluster, twice, options);

    expect(await findDrift(cluster, twice, options)).toEqual([]);
  });

  it('takes status and fields that others added for no drift', async () => {
    cluster.interfere(ref, (object) => ({ ...object, status: { seen: true }, immutable: false }));

    expect(await findDrift(cluster, manifests, options)).toEqual([]);
  });

  it.each([
    invalidSpec('No such field', []),
    badRequest('Unknown'),
    forbidden('Denied'),
    notFound('x', 'y'),
    new PlatformError('Conflict', 'uid mismatch'),
    NO_WEBHOOK,
  ])('takes what the cluster refuses to preview for drift that nobody saw: $code', async (refusal) => {
    cluster.refusal = ({ kind }) => (kind === 'ConfigMap' ? refusal : undefined);

    expect(await findDrift(cluster, manifests, options)).toEqual([{ manifest: settings, isSeen: false }]);
  });

  it('takes what cannot even be read, for want of a webhook that converts it, for such drift', async () => {
    const find = cluster.find.bind(cluster);
    cluster.find = (asked) => (asked.kind === 'ConfigMap' ? Promise.reject(NO_WEBHOOK) : find(asked));

    expect(await findDrift(cluster, manifests, options)).toEqual([{ manifest: settings, isSeen: false }]);
  });

  it.each(['Unauthenticated', 'TooManyRequests', 'Timeout'] satisfies ErrorCode[])(
    'knows nothing when the cluster answers %s',
    async (code) => {
      const refusal = new PlatformError(code, 'No');
      cluster.refusal = () => refusal;

      await expect(findDrift(cluster, manifests, options)).rejects.toBe(refusal);
    },
  );

  it('knows nothing of a cluster that does not answer', async () => {
    cluster.refusal = () => SILENCE;

    await expect(findDrift(cluster, manifests, options)).rejects.toBe(SILENCE);
  });
});
