import { describe, expect, it } from '@jest/globals';
import type { Failure } from '@crate/api';
import { aCluster, aKubernetesCluster, anInfrastructure, anInstallation } from '../testing/a-cluster.js';
import { childFailure } from './cluster.failure.js';
import type { ClusterScope } from './cluster.scope.js';

const failure = (code: string): Failure => ({ code, message: code, retryable: true });

function installation(code?: string): ReturnType<typeof anInstallation> {
  const made = anInstallation('docs');
  return { ...made, status: { ...made.status, ...(code ? { failure: failure(code) } : {}) } };
}

describe('childFailure', () => {
  it.each<{ reason: string; scope: Omit<ClusterScope, 'cluster'>; want: string | undefined }>([
    { reason: 'nothing when no child was looked at', scope: {}, want: undefined },
    {
      reason: 'nothing when all is well',
      scope: {
        infrastructure: anInfrastructure(),
        kubernetes: aKubernetesCluster(),
        installations: [installation()],
      },
      want: undefined,
    },
    {
      reason: 'the first in the order of the journey',
      scope: {
        infrastructure: anInfrastructure({ failure: failure('QuotaExceeded') }),
        kubernetes: aKubernetesCluster({ failure: failure('Unreachable') }),
      },
      want: 'QuotaExceeded',
    },
    {
      reason: 'that of an add-on when the rest is well',
      scope: {
        infrastructure: anInfrastructure(),
        kubernetes: aKubernetesCluster(),
        installations: [installation(), installation('ApplyFailed')],
      },
      want: 'ApplyFailed',
    },
  ])('is $reason', ({ scope, want }) => {
    expect(childFailure({ cluster: aCluster(), ...scope })?.code).toBe(want);
  });

  it.each([
    { given: 'spec.version', want: 'spec.kubernetes.version' },
    { given: 'spec.engine', want: 'spec.kubernetes.engine' },
    { given: 'spec.kubernetes.engine', want: 'spec.kubernetes.engine' },
    { given: 'spec.nodes', want: undefined },
    { given: undefined, want: undefined },
  ])('names $want of the Cluster for $given of the KubernetesCluster', ({ given, want }) => {
    const kubernetes = aKubernetesCluster({ failure: { ...failure('A'), ...(given ? { field: given } : {}) } });

    expect(childFailure({ cluster: aCluster(), kubernetes })?.field).toBe(want);
  });

  it('names the add-on, and where it was asked for', () => {
    const made = installation();
    const refused = { ...made, status: { failure: { ...failure('ManifestRejected'), field: 'spec.manifests' } } };
    const scope = { installations: [installation(), refused] };

    expect(childFailure({ ...scope, cluster: aCluster({ addOns: [{ name: 'other' }, { name: 'docs' }] }) })).toEqual({
      ...failure('ManifestRejected'),
      message: 'Add-on "docs": ManifestRejected',
      field: 'spec.addOns[1]',
    });
    expect(childFailure({ ...scope, cluster: aCluster() })).not.toHaveProperty('field');
  });
});
