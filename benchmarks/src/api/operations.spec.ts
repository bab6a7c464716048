import { describe, expect, it } from '@jest/globals';
import { ADD_ON, CLUSTER, type KubeObject } from '@crate/api';
import { changedDocument, keyAt, type Dataset } from './dataset.js';
import { OPERATIONS, requestOf } from './operations.js';

const DATASET: Dataset = {
  objects: 1_000,
  projects: 20,
  addOns: 100,
  template: {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'Cluster',
    metadata: { name: 'template', namespace: 'bench-000', uid: 'u', managedFields: [] } as never,
    spec: {
      accountRef: { name: 'sandbox' },
      region: 'us-east-1',
      kubernetes: { engine: 'rke', version: 'v1.31.4' },
      nodePools: [{ name: 'workers', replicas: 2, machineType: 'm5.xlarge' }],
    },
    status: { conditions: [] },
  },
  addOn: {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'AddOn',
    metadata: { name: 'bench-template' } as never,
    spec: {
      displayName: 'Tools',
      description: 'Tools.',
      version: '1.0.0',
      manifests: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tools' } }],
    },
  },
};

describe('keyAt', () => {
  it('goes through every stored object before it names one twice', () => {
    const keys = Array.from({ length: DATASET.objects }, (_, index) => keyAt(DATASET, index));
    expect(new Set(keys.map(({ namespace, name }) => `${namespace}/${name}`)).size).toBe(DATASET.objects);
  });
});

describe('requestOf', () => {
  it.each(OPERATIONS)('%s asks for the same thing at the same number only', (operation) => {
    expect(requestOf(operation, DATASET, 5)).toEqual(requestOf(operation, DATASET, 5));
    expect(requestOf(operation, DATASET, 5)).not.toEqual(requestOf(operation, DATASET, 6));
  });

  it.each(['create', 'update', 'apply', 'write'] as const)(
    '%s states a valid document, and no system fields',
    (operation) => {
      const { body = '' } = requestOf(operation, DATASET, 4);
      const document = JSON.parse(body) as KubeObject;
      const definition = operation === 'write' ? ADD_ON : CLUSTER;
      expect(definition.body.safeParse({ spec: document['spec'] }).error).toBeUndefined();
      expect(document.metadata.uid).toBeUndefined();
      expect(document['status']).toBeUndefined();
    },
  );

  it('changes spec and metadata from one number to the next', () => {
    const [one, two] = [changedDocument(DATASET, 1), changedDocument(DATASET, 1 + DATASET.objects)];
    expect(one['metadata']).not.toEqual(two['metadata']);
    expect(keyAt(DATASET, 1)).toEqual(keyAt(DATASET, 1 + DATASET.objects));
  });
});
