import { describe, expect, it } from '@jest/globals';
import type { Cluster } from '@crate/api';
import type { AdmissionRequest } from '@crate/resource-server';
import { aCluster } from '../testing/a-cluster.js';
import { inClusterAdmission } from './in-cluster.admission.js';
import { inClusterConfig } from './in-cluster.config.js';

const OWN = inClusterConfig.parse({ enabled: true });
const MAKING = inClusterConfig.parse({});
const EXISTING = { kubernetes: { engine: 'existing' }, accountRef: undefined, region: undefined, nodePools: [] };

function existing(spec: object = {}, place = { name: OWN.name, namespace: OWN.project }): Cluster {
  const cluster = aCluster({ ...EXISTING, ...spec });
  return { ...cluster, metadata: { ...cluster.metadata, ...place } };
}

async function outcome(object: Cluster, config = OWN, operation: 'CREATE' | 'UPDATE' = 'CREATE'): Promise<unknown> {
  const request = { operation, object } as unknown as AdmissionRequest;
  return inClusterAdmission(config)(request).then(
    () => 'admitted',
    (error: { code: string; details: { reason: string; causes?: readonly { field: string }[] } }) => [
      error.code,
      error.details.reason,
      ...(error.details.causes ?? []).map(({ field }) => field),
    ],
  );
}

describe('inClusterAdmission', () => {
  it.each<{ reason: string; object: Cluster; config?: typeof OWN; want: unknown }>([
    { reason: 'the cluster that the platform runs in is its own', object: existing(), want: 'admitted' },
    { reason: 'it makes no other', object: aCluster(), want: ['Forbidden', 'InClusterOnly'] },
    {
      reason: 'it is there once',
      object: existing({}, { name: 'again', namespace: OWN.project }),
      want: ['Forbidden', 'InClusterOnly'],
    },
    { reason: 'other platforms make clusters', object: aCluster(), config: MAKING, want: 'admitted' },
    {
      reason: 'and have none that was there',
      object: existing(),
      config: MAKING,
      want: ['InvalidSpec', 'NotInCluster', 'spec.kubernetes.engine'],
    },
  ])('$reason', async ({ object, config, want }) => {
    expect(await outcome(object, config)).toEqual(want);
  });

  it.each([
    {
      name: 'its version',
      spec: { kubernetes: { engine: 'existing', version: 'v1.32.4' } },
      field: 'kubernetes.version',
    },
    { name: 'machines', spec: { nodePools: [{ name: 'workers', replicas: 1 }] }, field: 'nodePools' },
    { name: 'a control plane', spec: { controlPlane: { replicas: 1 } }, field: 'controlPlane' },
    { name: 'a network', spec: { network: {} }, field: 'network' },
    { name: 'an account', spec: { accountRef: { name: 'main' } }, field: 'accountRef' },
    { name: 'a class', spec: { classRef: { name: 'small' } }, field: 'classRef' },
  ])('is for others to change: $name', async ({ spec, field }) => {
    const want = ['InvalidSpec', 'ManagedOutside', `spec.${field}`];
    expect(await outcome(existing(spec), OWN, 'UPDATE')).toEqual(want);
    expect(await outcome(existing(spec))).toEqual(want);
  });
});
