import { describe, expect, it } from '@jest/globals';
import { findCondition, type ClusterStatus } from '@crate/api';
import { PlatformError, unavailable } from '@crate/errors';
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
import type { ClusterScope } from './cluster.scope.js';
import { clusterStatus } from './cluster.status.js';
import { awaitedSince, wasNeverReady } from './journey-metrics.js';

const context = { now: new Date('2026-02-02T00:00:00Z'), traceId: 'trace', warnAfterMs: 900_000 };
const allowed = { allowed: true, violations: [] };
const done: Pass = { ok: true, outcome: settled };

function full(): ClusterScope {
  return {
    cluster: aCluster(),
    review: allowed,
    infrastructure: anInfrastructure(),
    kubernetes: aKubernetesCluster(),
    addOns: [anAddOn('docs')],
    installations: [anInstallation('docs')],
  };
}

function condition(status: ClusterStatus, type: string): string | undefined {
  return findCondition(status.conditions, type)?.status;
}

describe('clusterStatus', () => {
  it('is Ready with every phase done after a settled pass', () => {
    const status = clusterStatus(full(), done, context);

    expect(condition(status, 'Ready')).toBe('True');
    expect(status.observedGeneration).toBe(1);
    expect(status.phases?.map((phase) => phase.state)).toEqual(['Done', 'Done', 'Done', 'Done']);
    expect(status.failure).toBeUndefined();
  });

  it('reports every condition from the first pass on, also when nothing is known', () => {
    const status = clusterStatus({ cluster: aCluster() }, { ok: false, error: unavailable('down') }, context);

    expect(status.conditions?.map((each) => each.type)).toEqual([
      'Ready',
      'Synced',
      'Paused',
      'Deleting',
      'PolicyCompliant',
      'InfrastructureReady',
      'ControlPlaneReady',
      'NodesReady',
      'AddOnsReady',
      'InSync',
    ]);
    expect(condition(status, 'PolicyCompliant')).toBe('Unknown');
    expect(condition(status, 'Synced')).toBe('False');
    expect(status.observedGeneration).toBe(0);
  });

  describe('of a cluster that was ready, after a pass that failed', () => {
    const readyOnce = clusterStatus(full(), done, context);
    const after = (error: PlatformError, generation = 1): ClusterStatus => {
      const { metadata, ...rest } = aCluster();
      const cluster = { ...rest, metadata: { ...metadata, generation }, status: readyOnce };
      return clusterStatus({ cluster }, { ok: false, error }, { ...context, now: new Date('2026-02-03T00:00:00Z') });
    };

    it.each([unavailable('policy-mgmt is away'), new PlatformError('Timeout', 'No answer in time')])(
      'is Ready and at the end of its journey as before while a part of the platform does not answer: %s',
      (error) => {
        const status = after(error);

        expect(findCondition(status.conditions, 'Ready')).toEqual(findCondition(readyOnce.conditions, 'Ready'));
        expect({ progress: status.progress, phases: status.phases }).toEqual({
          progress: readyOnce.progress,
          phases: readyOnce.phases,
        });
        expect(condition(status, 'Synced')).toBe('False');
        expect(status.failure?.message).toBe(error.message);
      },
    );

    it('is not Ready when the failure is about the cluster, or something else was asked for meanwhile', () => {
      expect(condition(after(new PlatformError('Forbidden', 'Not allowed')), 'Ready')).toBe('False');
      expect(condition(after(unavailable('policy-mgmt is away'), 2), 'Ready')).toBe('False');
    });
  });

  describe('of a cluster that was ready, while its infrastructure is stated anew', () => {
    const readyOnce = clusterStatus(full(), done, context);
    const wait: Pass = { ok: true, outcome: waiting('WaitingForInfrastructure', 1_000) };
    const after = (status: 'True' | 'False', generation = 1): ClusterStatus => {
      const infrastructure = anInfrastructure({ conditions: [{ ...ready(status), observedGeneration: 1 }] });
      const { metadata } = aCluster();
      const scope = {
        ...full(),
        cluster: { ...aCluster(), metadata: { ...metadata, generation }, status: readyOnce },
        infrastructure: { ...infrastructure, metadata: { ...infrastructure.metadata, generation: 2 } },
      };
      return clusterStatus(scope, wait, { ...context, now: new Date('2026-02-03T00:00:00Z') });
    };

    it('stays so until that was looked at', () => {
      for (const type of ['Ready', 'InfrastructureReady'])
        expect(findCondition(after('True').conditions, type)).toEqual(findCondition(readyOnce.conditions, type));
      expect(after('True').progress).toEqual(readyOnce.progress);
    });

    it.each([
      ['it was not ready before', after('False')],
      ['something else is asked for', after('True', 2)],
    ])('is not Ready when %s', (_, status) => {
      expect(condition(status, 'Ready')).toBe('False');
      expect(condition(status, 'InfrastructureReady')).toBe('False');
    });
  });

  it("carries a child's failure with its code, field and remedy", () => {
    const failure = {
      code: 'QuotaExceeded',
      message: 'Too many instances',
      field: 'spec.nodePools',
      remedy: 'Ask for more',
      retryable: true,
    };
    const infrastructure = anInfrastructure({ conditions: [ready('False', 'Too many instances')], failure });
    const status = clusterStatus(
      { cluster: aCluster(), review: allowed, infrastructure },
      { ok: true, outcome: waiting('WaitingForInfrastructure', 1) },
      context,
    );

    expect(status.failure).toEqual(failure);
    expect(findCondition(status.conditions, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'WaitingForInfrastructure',
      message: 'Too many instances',
    });
    expect(findCondition(status.conditions, 'InfrastructureReady')).toMatchObject({ reason: 'QuotaExceeded' });
    expect(status.phases?.map((phase) => phase.state)).toEqual(['Done', 'Failed', 'Pending', 'Pending']);
  });

  it('names rule, field and remedy of a policy denial, and never a stack', () => {
    const error = new PlatformError('Forbidden', 'Cluster "demo" is denied by policy', {
      retry: 'never',
      details: { reason: 'PolicyDenied', field: 'spec.region', remedy: 'Choose another region' },
    });
    const status = clusterStatus(
      { cluster: aCluster(), review: { allowed: false, violations: [] } },
      { ok: false, error },
      context,
    );

    expect(status.failure).toMatchObject({
      code: 'PolicyDenied',
      field: 'spec.region',
      remedy: 'Choose another region',
      retryable: false,
      traceId: 'trace',
    });
    expect(condition(status, 'PolicyCompliant')).toBe('False');
  });

  it('hides what an unexpected error says', () => {
    const status = clusterStatus({ cluster: aCluster() }, { ok: false, error: new Error('password=hunter2') }, context);

    expect(JSON.stringify(status)).not.toContain('hunter2');
    expect(status.failure?.code).toBe('InternalError');
  });

  it('says what a deletion waits for', () => {
    const scope: ClusterScope = {
      cluster: deleting(aCluster()),
      blockers: ['Infrastructure "demo": Destroying'],
      infrastructure: anInfrastructure(),
    };
    const status = clusterStatus(scope, { ok: true, outcome: waiting('WaitingForInfrastructureRemoval', 1) }, context);

    expect(findCondition(status.conditions, 'Deleting')?.message).toContain('Infrastructure "demo": Destroying');
    expect(status.phases?.map((phase) => `${phase.name} ${phase.state}`)).toEqual([
      'Remove add-ons Done',
      'Remove Kubernetes Done',
      'Remove infrastructure Running',
    ]);
  });

  it('keeps lastTransitionTime while a status does not move, so that a second pass changes nothing', () => {
    const first = clusterStatus(full(), done, context);
    const cluster = { ...aCluster(), status: first };
    const second = clusterStatus({ ...full(), cluster }, done, { ...context, now: new Date('2027-01-01T00:00:00Z') });

    expect(second).toEqual(first);
  });

  it('says what the add-on at hand waits for, and names those alone that nobody has begun', () => {
    const message = 'Deployment apps/docs: pods "docs-1" is forbidden: exceeded quota';
    const waits: Pass = { ok: true, outcome: waiting('WaitingForAddOns', 1) };
    const addOns = [anAddOn('cilium'), anAddOn('docs'), anAddOn('metrics')];
    const installations = [anInstallation('cilium'), anInstallation('docs', { ...ready('False'), message })];
    const told = (scope: Partial<ClusterScope>): unknown =>
      findCondition(clusterStatus({ ...full(), addOns, ...scope }, waits, context).conditions, 'AddOnsReady');

    expect(told({ installations })).toMatchObject({ reason: 'WaitingForAddOns', message: `docs: ${message}` });
    expect(told({ installations: [] })).toMatchObject({ message: 'cilium, docs, metrics' });
    const left = [...addOns.map(({ metadata }) => anInstallation(metadata.name)), heldUp('driver')];
    expect(told({ installations: left })).toMatchObject({
      ...{ status: 'False', reason: 'WaitingForAddOnRemoval' },
      message: 'driver: cannot be removed for PersistentVolume pv-1: Is in use; Delete it',
    });
  });

  describe('of a cluster that is being deleted', () => {
    const before = clusterStatus(full(), done, context);
    const leaving: Pass = { ok: true, outcome: waiting('WaitingForInfrastructureRemoval', 1) };
    const types = ['InfrastructureReady', 'ControlPlaneReady', 'NodesReady', 'AddOnsReady'];
    const reasons = (scope: ClusterScope): unknown[] => {
      const { conditions } = clusterStatus(scope, leaving, context);
      return types.map((type) => findCondition(conditions, type)?.reason);
    };
    const infrastructure = { ...anInfrastructure({ conditions: [] }), metadata: deleting(aCluster()).metadata };

    it('says that Kubernetes was taken off once it is', () => {
      const cluster = deleting({ ...aCluster(), status: before });
      expect(reasons({ cluster, infrastructure, isKubernetesGone: true })).toEqual([
        ...['Deleting', 'Removed', 'Removed', 'Removed'],
      ]);
    });

    it('counts how long nothing is said of a child from when the cluster goes, whatever went on before', () => {
      const deletionTimestamp = '2026-02-01T23:50:00Z';
      const cluster = { ...aCluster(), metadata: { ...aCluster().metadata, deletionTimestamp } };
      const driver = heldUp('driver');
      const deletion = { ...driver.status!.deletion!, blockers: [] };
      const installations = [{ ...driver, status: { ...driver.status!, deletion } }];
      const blockersAt = (now: Date): unknown =>
        clusterStatus({ cluster, installations, isKubernetesGone: true }, leaving, { ...context, now }).deletion
          ?.blockers;

      expect(blockersAt(context.now)).toEqual([]);
      expect(blockersAt(new Date('2026-02-02T00:05:00Z'))).toMatchObject([
        { kind: 'AddOnInstallation', reason: 'NoProgress', since: deletionTimestamp },
      ]);
    });

    it('does not say so of what was never there', () => {
      const started = clusterStatus({ cluster: aCluster() }, done, context);
      const cluster = deleting({ ...aCluster(), status: started });
      const [, ...rest] = reasons({ cluster, infrastructure, isKubernetesGone: true });
      expect(rest).toEqual(['NotStarted', 'NotStarted', 'NotStarted']);
    });
  });

  describe('of what this pass did not look at', () => {
    const before = clusterStatus(full(), done, context);
    const changed = { ...aCluster(), metadata: { ...aCluster().metadata, generation: 2 }, status: before };

    it('keeps what was seen last, about the generation it was seen of', () => {
      const scope = { cluster: changed, review: allowed, kubernetes: aKubernetesCluster() };
      const status = clusterStatus(scope, { ok: true, outcome: waiting('WaitingForNodesToLeave', 1) }, context);

      for (const type of ['InfrastructureReady', 'AddOnsReady']) {
        expect(findCondition(status.conditions, type)).toEqual(findCondition(before.conditions, type));
        expect(findCondition(status.conditions, type)?.observedGeneration).toBe(1);
      }
      expect(findCondition(status.conditions, 'Ready')).toMatchObject({ status: 'False', observedGeneration: 2 });
    });

    it('takes nothing back while nobody can judge, but says that there is no verdict', () => {
      const status = clusterStatus({ cluster: changed }, { ok: false, error: unavailable('down') }, context);

      expect(condition(status, 'PolicyCompliant')).toBe('Unknown');
      expect(condition(status, 'Ready')).toBe('False');
      const seen = ['InfrastructureReady', 'ControlPlaneReady', 'NodesReady', 'AddOnsReady'];
      expect(seen.map((type) => condition(status, type))).toEqual(['True', 'True', 'True', 'True']);
      expect(status).toMatchObject({ nodes: before.nodes, addOns: before.addOns });
    });

    it('stands where it stood while the cluster is paused', () => {
      const paused = { ...changed, spec: { ...changed.spec, paused: true } };
      const status = clusterStatus({ cluster: paused }, done, context);

      expect(['Ready', 'Synced', 'Paused'].map((type) => condition(status, type))).toEqual(['True', 'False', 'True']);
      // A change made while it is paused is not applied, so nobody who waits for it may be told that it is Ready.
      expect(findCondition(status.conditions, 'Ready')?.observedGeneration).toBe(1);
      expect(status).toMatchObject({ observedGeneration: 1, phases: before.phases, progress: { message: 'Paused' } });
      const again = clusterStatus({ cluster: { ...paused, status } }, done, { ...context, now: new Date() });
      expect(again).toEqual(status);
    });

    it('says so when it was paused before it was ever ready', () => {
      const paused = { ...aCluster(), spec: { ...aCluster().spec, paused: true } };
      expect(findCondition(clusterStatus({ cluster: paused }, done, context).conditions, 'Ready')).toMatchObject({
        status: 'False',
        reason: 'Paused',
      });
    });

    it('has never been ready since its first pass when it goes on after that', () => {
      const later = new Date('2026-02-02T01:00:00Z');
      const underWay: Pass = { ok: true, outcome: waiting('WaitingForInfrastructure', 1) };
      const paused = { ...aCluster(), spec: { ...aCluster().spec, paused: true } };
      const resumed = { ...aCluster(), status: clusterStatus({ cluster: paused }, done, context) };
      const status = clusterStatus({ cluster: resumed }, underWay, { ...context, now: later });

      expect(wasNeverReady({ ...resumed, status })).toBe(true);
      expect(awaitedSince({ ...resumed, status })).toBe('2026-02-02T01:00:00Z');
    });
  });
});
