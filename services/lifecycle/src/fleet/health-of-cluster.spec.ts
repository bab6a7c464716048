import type { Blocker, Failure, FleetCause, FleetHealth } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { aFleetCluster, at, not, type FleetCluster } from '../testing/a-fleet.js';
import type { Concern } from './attention.js';
import { healthOfCluster } from './health-of-cluster.js';

interface Row {
  readonly reason: string;
  readonly given: FleetCluster;
  readonly want: readonly [FleetHealth, Concern];
  readonly cause?: Partial<Record<keyof FleetCause, unknown>>;
  readonly later?: readonly [FleetHealth, Concern, string];
}

const NOT_READY = not('Ready', 'WaitingForKubernetes', '02:00');
const BROKEN = not('Ready', 'ReconcileError', '02:00');

function failure(code: string, given: Partial<Failure> = {}): { readonly failure: Failure } {
  return { failure: { code, message: `${code} of the cloud`, retryable: true, ...given } };
}

function blocker(name: string, since: string, remedy?: string): Blocker {
  const what = { kind: 'aws_vpc', name, reason: 'StillInUse', message: 'It is used', since: at(since) };
  return remedy === undefined ? what : { ...what, remedy };
}

function deleted(blockers: readonly Blocker[], reason = 'DeletionRequested'): FleetCluster {
  return {
    metadata: { deletionTimestamp: at('05:00') },
    conditions: [{ type: 'Deleting', reason, message: 'Waiting for something' }],
    status: { deletion: { requestedAt: at('05:00'), blockers: [...blockers] } },
  };
}

const OTHER_VERSION = { version: 'v1.30.8' };

const rows: readonly Row[] = [
  { reason: 'nothing is to be said of one that is as asked for', given: {}, want: ['Healthy', 'None'] },
  {
    reason: 'a class that has moved on is nobody’s trouble',
    given: { conditions: [not('ClassUpToDate', 'UpdateAvailable', '03:00')] },
    want: ['Healthy', 'None'],
  },
  {
    reason: 'nobody has looked at a new one yet',
    given: { status: { conditions: [], version: undefined } },
    want: ['Progressing', 'UnderWay'],
    cause: { condition: 'Ready', reason: 'NotStarted', since: at('00:00') },
    later: ['Progressing', 'Lasting', '01:00'],
  },
  {
    reason: 'the first phase that is not done is the one to look at, since those before it are',
    given: {
      conditions: [
        not('Ready', 'WaitingForInfrastructure', '00:00'),
        not('InfrastructureReady', 'Provisioning', '00:05'),
        not('ControlPlaneReady', 'NotStarted', '00:00'),
        not('NodesReady', 'NotStarted', '00:00'),
      ],
      status: { version: undefined },
    },
    want: ['Progressing', 'UnderWay'],
    cause: { condition: 'InfrastructureReady', reason: 'Provisioning', since: at('00:05') },
    later: ['Progressing', 'Lasting', '01:05'],
  },
  {
    reason: 'a control plane takes its time from when machines are there, not from the birth of the cluster',
    given: {
      conditions: [NOT_READY, not('ControlPlaneReady', 'NotStarted', '00:00')],
      status: { version: undefined },
    },
    want: ['Progressing', 'UnderWay'],
    cause: { condition: 'ControlPlaneReady', since: at('00:10') },
  },
  {
    reason: 'another version is on its way to the nodes',
    given: { conditions: [NOT_READY, not('NodesReady', 'WaitingForNodes', '06:00')], status: OTHER_VERSION },
    want: ['Progressing', 'UnderWay'],
    cause: { condition: 'NodesReady' },
  },
  {
    reason: 'a change of the spec that nobody has looked at yet is under way',
    given: { metadata: { generation: 2 } },
    want: ['Progressing', 'UnderWay'],
    cause: { condition: 'Ready', since: at('00:10') },
  },
  {
    reason: 'nodes that are not there soon after their machines are still joining',
    given: { conditions: [NOT_READY, not('NodesReady', 'WaitingForNodes', '00:12')] },
    want: ['Progressing', 'UnderWay'],
    cause: { condition: 'NodesReady', since: at('00:12') },
    later: ['Degraded', 'Degraded', '00:27'],
  },
  {
    reason: 'a node is lost however soon after all had joined, which add-ons had waited for',
    given: {
      conditions: [
        NOT_READY,
        { type: 'AddOnsReady', lastTransitionTime: at('00:11') },
        not('NodesReady', 'WaitingForNodes', '00:12', 'Not ready: demo-control-plane-1'),
      ],
    },
    want: ['Degraded', 'Degraded'],
    cause: { condition: 'NodesReady', message: 'Not ready: demo-control-plane-1', since: at('00:12') },
  },
  {
    reason: 'nodes join machines that are newer than the add-ons',
    given: {
      conditions: [
        NOT_READY,
        { type: 'AddOnsReady', lastTransitionTime: at('00:09') },
        not('NodesReady', 'WaitingForNodes', '00:12'),
      ],
    },
    want: ['Progressing', 'UnderWay'],
  },
  {
    reason: 'a node of a cluster that was up is lost',
    given: { conditions: [NOT_READY, not('NodesReady', 'WaitingForNodes', '06:00', 'Not ready: demo-workers-1')] },
    want: ['Degraded', 'Degraded'],
    cause: { condition: 'NodesReady', message: 'Not ready: demo-workers-1', since: at('06:00') },
  },
  {
    reason: 'an add-on is being installed, and should be there within a quarter of an hour',
    given: { conditions: [NOT_READY, not('AddOnsReady', 'WaitingForAddOns', '03:00', 'ingress')] },
    want: ['Progressing', 'UnderWay'],
    cause: { condition: 'AddOnsReady', message: 'ingress' },
    later: ['Degraded', 'Degraded', '03:15'],
  },
  {
    reason: 'what failed is told in the words of the failure, at the phase that failed, with what to do',
    given: {
      conditions: [
        BROKEN,
        not('InfrastructureReady', 'CredentialsRejected', '04:00', 'Short'),
        not('NodesReady', 'x', '04:00'),
      ],
      status: failure('CredentialsRejected', { retryable: false, remedy: 'Give new ones' }),
    },
    want: ['Failing', 'Failed'],
    cause: {
      condition: 'InfrastructureReady',
      reason: 'CredentialsRejected',
      message: 'CredentialsRejected of the cloud',
      since: at('04:00'),
      remedy: 'Give new ones',
    },
  },
  {
    reason: 'what a program said in many lines fits into a row',
    given: { conditions: [BROKEN], status: failure('Odd', { message: `first\nsecond ${'x'.repeat(10_000)}` }) },
    want: ['Failing', 'Retried'],
    cause: { message: expect.stringMatching(/^first second x{286}…$/) },
  },
  {
    reason: 'what is tried again may heal, but not for ever',
    given: {
      conditions: [BROKEN, not('InfrastructureReady', 'Throttled', '04:00')],
      status: failure('Throttled'),
    },
    want: ['Failing', 'Retried'],
    cause: { reason: 'Throttled' },
    later: ['Failing', 'Failed', '04:30'],
  },
  {
    reason: 'a pass that fails while all phases stand',
    given: { conditions: [BROKEN, not('Synced', 'ReconcileError', '04:00')], status: failure('InternalError') },
    want: ['Failing', 'Retried'],
    cause: { condition: 'Synced', reason: 'InternalError', since: at('04:00') },
  },
  {
    reason: 'a failed pass without words of its own',
    given: { conditions: [BROKEN] },
    want: ['Failing', 'Failed'],
    cause: { condition: 'Ready', reason: 'ReconcileError' },
  },
  {
    reason: 'a rule that denies is somebody’s to decide about, however often it is tried',
    given: {
      conditions: [BROKEN, not('PolicyCompliant', 'PolicyDenied', '03:00'), not('InfrastructureReady', 'x', '00:00')],
      status: { ...failure('PolicyDenied', { remedy: 'Ask for three' }), version: undefined },
    },
    want: ['Blocked', 'Decision'],
    cause: { condition: 'PolicyCompliant', reason: 'PolicyDenied', since: at('03:00'), remedy: 'Ask for three' },
  },
  {
    reason: 'a plan of the cloud that a rule denies is told at the machines',
    given: {
      conditions: [
        NOT_READY,
        not('PolicyCompliant', 'PartDenied', '03:00'),
        not('InfrastructureReady', 'PolicyDenied', '03:00'),
      ],
      status: failure('PolicyDenied'),
    },
    want: ['Blocked', 'Decision'],
    cause: { condition: 'InfrastructureReady', reason: 'PolicyDenied' },
  },
  {
    reason: 'nobody judges for a while, which mends itself',
    given: {
      conditions: [
        BROKEN,
        { ...not('PolicyCompliant', 'PolicyUnavailable', '03:00'), status: 'Unknown' },
        not('InfrastructureReady', 'NotStarted', '00:00'),
      ],
      status: { ...failure('PolicyUnavailable'), version: undefined },
    },
    want: ['Failing', 'Retried'],
    cause: { condition: 'PolicyCompliant', reason: 'PolicyUnavailable', since: at('03:00') },
  },
  {
    reason: 'a change above the ceiling waits for approval',
    given: {
      conditions: [NOT_READY, not('InfrastructureReady', 'ImpactAboveCeiling', '03:00')],
      status: failure('ImpactAboveCeiling', { retryable: false, remedy: 'Have it approved' }),
    },
    want: ['Blocked', 'Decision'],
    cause: { condition: 'InfrastructureReady', reason: 'ImpactAboveCeiling', remedy: 'Have it approved' },
  },
  {
    reason: 'a cluster that does not answer is the worst, whatever else is under way',
    given: {
      conditions: [
        NOT_READY,
        { ...not('ControlPlaneReady', 'ConnectionDown', '07:00'), status: 'Unknown' },
        { ...not('NodesReady', 'ConnectionDown', '07:00'), status: 'Unknown' },
      ],
    },
    want: ['Failing', 'Failed'],
    cause: { condition: 'ControlPlaneReady', reason: 'ConnectionDown', since: at('07:00') },
  },
  {
    reason: 'drift that is held waits for a decision',
    given: { conditions: [not('InSync', 'OnHold', '03:00')] },
    want: ['Blocked', 'Decision'],
    cause: {
      condition: 'InSync',
      reason: 'OnHold',
      remedy: expect.stringContaining('crate drift show demo -n team-a'),
    },
  },
  {
    reason: 'drift that may not be put back by itself waits as well',
    given: { conditions: [not('InSync', 'CorrectionHeld', '03:00')] },
    want: ['Blocked', 'Decision'],
  },
  {
    reason: 'what only a release would change waits as well, and no decision about drift helps',
    given: { conditions: [not('InSync', 'ReleaseHeld', '03:00')] },
    want: ['Blocked', 'Decision'],
    cause: { condition: 'InSync', remedy: expect.stringContaining('approve that plan') },
  },
  {
    reason: 'what a run would do that nobody asked for waits as well, and no decision about drift helps',
    given: { conditions: [not('InSync', 'RunHeld', '03:00')] },
    want: ['Blocked', 'Decision'],
    cause: { condition: 'InSync', remedy: expect.stringContaining('approve that plan') },
  },
  {
    reason: 'drift that is only observed',
    given: { conditions: [not('InSync', 'Drifted', '03:00')] },
    want: ['Degraded', 'Differs'],
    cause: { condition: 'InSync', reason: 'Drifted' },
  },
  {
    reason: 'a comparison that failed says nothing of the cluster',
    given: { conditions: [{ ...not('InSync', 'CheckFailed', '03:00'), status: 'Unknown' }] },
    want: ['Healthy', 'None'],
  },
  {
    reason: 'a rule that came later is broken by what is left standing',
    given: { conditions: [not('PolicyCompliant', 'PolicyDenied', '03:00')] },
    want: ['Degraded', 'Differs'],
    cause: { condition: 'PolicyCompliant', remedy: expect.stringContaining('waiver') },
  },
  {
    reason: 'of two that are as pressing the older one is told',
    given: { conditions: [not('PolicyCompliant', 'PolicyDenied', '03:00'), not('InSync', 'Drifted', '02:00')] },
    want: ['Degraded', 'Differs'],
    cause: { condition: 'InSync' },
  },
  {
    reason: 'the more pressing is told, not the older',
    given: { conditions: [not('PolicyCompliant', 'PolicyDenied', '03:00'), not('InSync', 'OnHold', '06:00')] },
    want: ['Blocked', 'Decision'],
    cause: { condition: 'InSync' },
  },
  {
    reason: 'whoever paused it wants nothing said of the rest',
    given: {
      spec: { paused: true },
      conditions: [
        { type: 'Paused', reason: 'Paused', lastTransitionTime: at('08:00') },
        not('InSync', 'OnHold', '06:00'),
      ],
    },
    want: ['Paused', 'Paused'],
    cause: { condition: 'Paused', since: at('08:00') },
  },
  {
    reason: 'a deletion that goes on',
    given: deleted([]),
    want: ['Deleting', 'UnderWay'],
    cause: { condition: 'Deleting', reason: 'DeletionRequested', since: at('05:00') },
    later: ['Deleting', 'Lasting', '06:00'],
  },
  {
    reason: 'something is in the way of a deletion, and not for long',
    given: deleted([blocker('vpc-1', '05:10')]),
    want: ['Deleting', 'UnderWay'],
    cause: { reason: 'StillInUse', message: 'aws_vpc vpc-1: It is used', since: at('05:10') },
  },
  {
    reason: 'what somebody can do something about is told first, with what to do',
    given: deleted(
      [blocker('vpc-1', '05:10'), blocker('vpc-2', '05:20', 'Detach it'), blocker('vpc-3', '05:15', 'Empty it')],
      'DeletionBlocked',
    ),
    want: ['Blocked', 'Stuck'],
    cause: {
      condition: 'Deleting',
      message: 'aws_vpc vpc-3: It is used (and 2 more)',
      since: at('05:15'),
      remedy: 'Empty it',
    },
  },
  {
    reason: 'of a cluster that goes nothing counts but the deletion',
    given: { ...deleted([]), spec: { paused: true }, status: failure('Throttled') },
    want: ['Deleting', 'UnderWay'],
  },
];

describe('healthOfCluster', () => {
  it.each(rows)('$reason', ({ given, want, cause, later }) => {
    const found = healthOfCluster(aFleetCluster(given));
    expect([found.health, found.concern]).toEqual(want);
    if (cause) expect(found.cause).toMatchObject(cause);
    if (want[0] === 'Healthy') expect(found).not.toHaveProperty('cause');
    if (!later) return;
    const [health, concern, time] = later;
    expect(found.later).toEqual({ health, concern, atMs: Date.parse(at(time)) });
  });
});
