import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { inClusterSettings, partsOf } from './run-platform.js';
import { SERVICE_ORDER } from './service-order.js';

describe('crate up for one cluster', () => {
  it('does without a cloud, and tells services where the cluster is', () => {
    const { services, hasSandbox } = partsOf({ only: SERVICE_ORDER, inCluster: 'k3s.yaml' });
    expect([services, hasSandbox]).toEqual([['policy-mgmt', 'cluster-mgmt', 'lifecycle'], false]);
    expect(inClusterSettings('k3s.yaml')).toEqual({
      CRATE_IN_CLUSTER_ENABLED: 'true',
      CRATE_IN_CLUSTER_KUBECONFIG_FILE: resolve('k3s.yaml'),
    });
  });

  it('is no matter of a database that runs alone', () => {
    expect(partsOf({ only: [] })).toEqual({ services: [], hasSandbox: false });
  });

  it('is asked for', () => {
    expect(partsOf({ only: SERVICE_ORDER })).toEqual({ services: SERVICE_ORDER, hasSandbox: true });
    expect(inClusterSettings(undefined)).toEqual({});
  });
});
