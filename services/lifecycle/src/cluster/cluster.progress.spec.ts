import { describe, expect, it } from '@jest/globals';
import { forbidden } from '@crate/errors';
import { settled, waiting, type Pass } from '@crate/reconcile';
import {
  aCluster,
  aKubernetesCluster,
  anAddOn,
  anInfrastructure,
  anInstallation,
  heldUp,
  deleting,
  ready,
} from '../testing/a-cluster.js';
import { clusterPhases } from './cluster.progress.js';
import type { ClusterScope } from './cluster.scope.js';

const allowed = { allowed: true, violations: [] };
const notReady = [ready('False')];
const waits = (reason: string): Pass => ({ ok: true, outcome: waiting(reason, 1) });
const done: Pass = { ok: true, outcome: settled };

function shown(scope: ClusterScope, pass: Pass): readonly string[] {
  return clusterPhases(scope, pass).map(
    ({ name, state, step, steps, message }) => `${name} ${state} ${step}/${steps} ${message}`,
  );
}

const building = anInfrastructure({
  conditions: notReady,
  progress: { step: 3, steps: 24, message: 'aws_vpc.main' },
});

describe('clusterPhases on the way up', () => {
  it.each<{ reason: string; scope: Omit<ClusterScope, 'cluster'>; pass: Pass; want: readonly string[] }>([
    {
      reason: 'before anything is known, one phase runs and the rest is to come',
      scope: {},
      pass: waits('X'),
      want: [
        'Policy Running 0/1 Under way',
        'Infrastructure Pending 0/1 Not started yet',
        'Kubernetes Pending 0/1 Not started yet',
        'Add-ons Pending 0/1 Not started yet',
      ],
    },
    {
      reason: 'a denied cluster failed at its policy',
      scope: { review: { allowed: false, violations: [] } },
      pass: { ok: false, error: forbidden('denied') },
      want: [
        'Policy Failed 0/1 Under way',
        'Infrastructure Pending 0/1 Not started yet',
        'Kubernetes Pending 0/1 Not started yet',
        'Add-ons Pending 0/1 Not started yet',
      ],
    },
    {
      reason: 'nobody has taken the machines up yet',
      scope: { review: allowed, kubernetes: aKubernetesCluster({ conditions: notReady }) },
      pass: waits('WaitingForSshKey'),
      want: [
        'Policy Done 1/1 Done',
        'Infrastructure Running 0/1 Preparing access to the machines',
        'Kubernetes Pending 0/1 Not started yet',
        'Add-ons Pending 0/1 Not started yet',
      ],
    },
    {
      reason: "the child's own progress shows, also while Kubernetes is still Ready of before",
      scope: { review: allowed, infrastructure: building, kubernetes: aKubernetesCluster() },
      pass: waits('WaitingForInfrastructure'),
      want: [
        'Policy Done 1/1 Done',
        'Infrastructure Running 3/24 aws_vpc.main',
        'Kubernetes Pending 0/1 Not started yet',
        'Add-ons Pending 0/1 Not started yet',
      ],
    },
    {
      reason: 'a child that has not seen its new spec tells of the one before, which is no news',
      scope: {
        review: allowed,
        infrastructure: { ...building, metadata: { ...building.metadata, generation: 2 } },
      },
      pass: waits('WaitingForInfrastructure'),
      want: [
        'Policy Done 1/1 Done',
        'Infrastructure Running 0/1 Under way',
        'Kubernetes Pending 0/1 Not started yet',
        'Add-ons Pending 0/1 Not started yet',
      ],
    },
    {
      reason: 'a child that fails is marked, with how far it came',
      scope: {
        review: allowed,
        infrastructure: anInfrastructure({
          conditions: notReady,
          progress: { step: 9, steps: 24, message: 'aws_instance' },
          failure: { code: 'QuotaExceeded', message: '', retryable: true },
        }),
      },
      pass: waits('WaitingForInfrastructure'),
      want: [
        'Policy Done 1/1 Done',
        'Infrastructure Failed 9/24 aws_instance',
        'Kubernetes Pending 0/1 Not started yet',
        'Add-ons Pending 0/1 Not started yet',
      ],
    },
    {
      reason: 'a child that fails after it had come to the end says why, and not that it is Ready',
      scope: {
        review: allowed,
        infrastructure: anInfrastructure({
          conditions: notReady,
          progress: { step: 24, steps: 24, message: 'Ready' },
          failure: { code: 'StateTampered', message: '', retryable: false },
        }),
      },
      pass: waits('WaitingForInfrastructure'),
      want: [
        'Policy Done 1/1 Done',
        'Infrastructure Failed 0/1 StateTampered',
        'Kubernetes Pending 0/1 Not started yet',
        'Add-ons Pending 0/1 Not started yet',
      ],
    },
    {
      reason: 'add-ons are counted',
      scope: {
        review: allowed,
        infrastructure: anInfrastructure(),
        kubernetes: aKubernetesCluster(),
        addOns: [anAddOn('baseline'), anAddOn('docs', 'baseline')],
        installations: [anInstallation('baseline'), anInstallation('docs', ready('False'))],
      },
      pass: waits('WaitingForAddOns'),
      want: [
        'Policy Done 1/1 Done',
        'Infrastructure Done 1/1 Done',
        'Kubernetes Done 1/1 Done',
        'Add-ons Running 1/2 1 of 2 ready; docs: Not started yet',
      ],
    },
    {
      reason: 'an add-on whose words are long says them on one line, and not all of them',
      scope: {
        review: allowed,
        infrastructure: anInfrastructure(),
        kubernetes: aKubernetesCluster(),
        addOns: [anAddOn('docs')],
        installations: [anInstallation('docs', { ...ready('False'), message: `denied:\n  ${'x'.repeat(1000)}` })],
      },
      pass: waits('WaitingForAddOns'),
      want: [
        'Policy Done 1/1 Done',
        'Infrastructure Done 1/1 Done',
        'Kubernetes Done 1/1 Done',
        `Add-ons Running 0/1 0 of 1 ready; docs: denied: ${'x'.repeat(285)}…`,
      ],
    },
    {
      reason: 'an add-on that does not go says for what',
      scope: {
        review: allowed,
        infrastructure: anInfrastructure(),
        kubernetes: aKubernetesCluster(),
        addOns: [anAddOn('docs')],
        installations: [anInstallation('docs'), heldUp('driver')],
      },
      pass: waits('WaitingForAddOnRemoval'),
      want: [
        'Policy Done 1/1 Done',
        'Infrastructure Done 1/1 Done',
        'Kubernetes Done 1/1 Done',
        'Add-ons Running 1/1 1 of 1 ready; driver: cannot be removed for PersistentVolume pv-1: Is in use; Delete it',
      ],
    },
    {
      reason: 'a node that is not ready keeps no add-on waiting',
      scope: {
        review: allowed,
        infrastructure: anInfrastructure(),
        kubernetes: aKubernetesCluster({
          conditions: notReady,
          progress: { step: 9, steps: 10, message: '4 of 5 nodes are ready' },
        }),
        addOns: [anAddOn('baseline'), anAddOn('docs', 'baseline')],
        installations: [anInstallation('baseline'), anInstallation('docs', ready('False'))],
      },
      pass: waits('WaitingForAddOns'),
      want: [
        'Policy Done 1/1 Done',
        'Infrastructure Done 1/1 Done',
        'Kubernetes Running 9/10 4 of 5 nodes are ready',
        'Add-ons Running 1/2 1 of 2 ready; docs: Not started yet',
      ],
    },
    {
      reason: 'nor does a machine that stands still',
      scope: {
        review: allowed,
        infrastructure: building,
        kubernetes: aKubernetesCluster(),
        addOns: [anAddOn('docs')],
        installations: [anInstallation('docs')],
      },
      pass: waits('WaitingForInfrastructure'),
      want: [
        'Policy Done 1/1 Done',
        'Infrastructure Running 3/24 aws_vpc.main',
        'Kubernetes Done 1/1 Done',
        'Add-ons Done 1/1 Done',
      ],
    },
    {
      reason: 'add-ons that go before an upgrade say so',
      scope: { review: allowed, kubernetes: aKubernetesCluster(), installations: [heldUp('driver')] },
      pass: waits('WaitingForAddOnRemoval'),
      want: [
        'Policy Done 1/1 Done',
        'Infrastructure Running 0/1 Waiting for add-ons to leave: driver: cannot be removed for PersistentVolume pv-1: Is in use; Delete it',
        'Kubernetes Pending 0/1 Not started yet',
        'Add-ons Pending 0/1 Not started yet',
      ],
    },
    {
      reason: 'a cluster without add-ons is done when the pass is',
      scope: { review: allowed, infrastructure: anInfrastructure(), kubernetes: aKubernetesCluster(), addOns: [] },
      pass: done,
      want: [
        'Policy Done 1/1 Done',
        'Infrastructure Done 1/1 Done',
        'Kubernetes Done 1/1 Done',
        'Add-ons Done 1/1 Done',
      ],
    },
  ])('$reason', ({ scope, pass, want }) => {
    expect(shown({ cluster: aCluster(), ...scope }, pass)).toEqual(want);
  });
});

describe('clusterPhases on the way down', () => {
  const cluster = deleting(aCluster());
  it.each<{ reason: string; scope: Omit<ClusterScope, 'cluster'>; pass: Pass; want: readonly string[] }>([
    {
      reason: 'add-ons go first',
      scope: { installations: [anInstallation('docs')] },
      pass: waits('WaitingForAddOnRemoval'),
      want: ['Running', 'Pending', 'Pending'],
    },
    {
      reason: 'then Kubernetes',
      scope: { kubernetes: aKubernetesCluster() },
      pass: waits('WaitingForKubernetesClusterRemoval'),
      want: ['Done', 'Running', 'Pending'],
    },
    {
      reason: 'then the infrastructure',
      scope: { infrastructure: building },
      pass: waits('WaitingForInfrastructureRemoval'),
      want: ['Done', 'Done', 'Running'],
    },
    { reason: 'and then all is gone', scope: {}, pass: done, want: ['Done', 'Done', 'Done'] },
  ])('$reason', ({ scope, pass, want }) => {
    expect(clusterPhases({ cluster, ...scope }, pass).map(({ state }) => state)).toEqual(want);
  });
});
