import { describe, expect, it } from '@jest/globals';
import { FORCE_ANNOTATION, FORCED_ANNOTATION, type DeletionStatus } from '@crate/api';
import {
  becameBlocked,
  blockedForMs,
  deletionEvents,
  deletionStatusOf,
  isDeletionBlocked,
  type Deletable,
  type FoundBlocker,
} from './deletion-status.js';

const NOON = new Date('2026-01-31T12:00:00Z');
const LATER = new Date('2026-01-31T12:20:00Z');
const LB: FoundBlocker = {
  kind: 'Service',
  name: 'shop/web',
  reason: 'StillThere',
  message: 'Its load balancer goes first',
};
const VPC: FoundBlocker = {
  kind: 'aws_vpc',
  name: 'vpc-1',
  reason: 'DependencyViolation',
  message: 'In use',
  remedy: 'Look',
};

function anObject(changes: { annotations?: Record<string, string>; deletion?: DeletionStatus } = {}): Deletable {
  const { annotations, deletion } = changes;
  return {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: {
      name: 'demo',
      uid: '1',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-01-31T10:00:00Z',
      deletionTimestamp: '2026-01-31T11:00:00Z',
      ...(annotations ? { annotations } : {}),
    },
    status: { deletion },
  };
}

function after(found: readonly FoundBlocker[], now: Date, before?: DeletionStatus): DeletionStatus {
  const status = deletionStatusOf(anObject(before ? { deletion: before } : {}), { blockers: found }, now);
  if (!status) throw new Error('It is being deleted');
  return status;
}

describe('the status of a deletion', () => {
  it('is nothing for what is not being deleted', () => {
    const object = anObject();
    delete object.metadata.deletionTimestamp;
    expect(deletionStatusOf(object, { blockers: [LB] }, NOON)).toBeUndefined();
  });

  it('says since when each thing is in the way, from pass to pass', () => {
    const first = after([VPC, LB], NOON);
    expect(first.blockers.map(({ name, since }) => [name, since])).toEqual([
      ['shop/web', '2026-01-31T12:00:00Z'],
      ['vpc-1', '2026-01-31T12:00:00Z'],
    ]);
    expect(after([LB, VPC], LATER, first)).toEqual(first);
    const reworded = after([{ ...LB, reason: 'Other', message: 'Another word' }], LATER, first);
    expect(reworded.blockers).toMatchObject([{ reason: 'Other', since: '2026-01-31T12:00:00Z' }]);
    const back = after([LB, VPC], LATER, reworded);
    expect(back.blockers.map(({ since }) => since)).toEqual(['2026-01-31T12:00:00Z', '2026-01-31T12:20:00Z']);
  });

  it('names who forced it only when the server recorded so', () => {
    const forced = { [FORCE_ANNOTATION]: 'the account is closed', [FORCED_ANNOTATION]: '2026-01-31T11:30:00Z ada' };
    const status = deletionStatusOf(anObject({ annotations: forced }), { blockers: [] }, NOON);
    expect(status?.forced).toEqual({ by: 'ada', reason: 'the account is closed', at: '2026-01-31T11:30:00Z' });
    const unrecorded = anObject({ annotations: { [FORCE_ANNOTATION]: 'x' } });
    expect(deletionStatusOf(unrecorded, { blockers: [] }, NOON)?.forced).toBeUndefined();
  });

  it('keeps what was given up in earlier passes', () => {
    const given = { kind: 'aws_lb', name: 'lb-1', account: '1', region: 'r' };
    const before: DeletionStatus = { ...after([], NOON), abandoned: [given] };
    const status = deletionStatusOf(
      anObject({ deletion: before }),
      { blockers: [], abandoned: [given, { kind: 'aws_vpc', name: 'vpc-1' }] },
      LATER,
    );
    expect(status?.abandoned).toEqual([given, { kind: 'aws_vpc', name: 'vpc-1' }]);
  });

  it('is blocked once something has been in the way for longer than the patience', () => {
    const status = after([LB], NOON);
    expect(isDeletionBlocked(status, 20 * 60_000, new Date(LATER.getTime() - 1))).toBe(false);
    expect(isDeletionBlocked(status, 20 * 60_000, LATER)).toBe(true);
    expect(blockedForMs(status.blockers, LATER)).toBe(20 * 60_000);
    expect(blockedForMs([], LATER)).toBe(0);
    const shown = (reason: string): Deletable => {
      const condition = { type: 'Deleting', status: 'True' as const, reason, message: '', lastTransitionTime: '' };
      return { ...anObject(), status: { deletion: after([VPC], NOON), conditions: [condition] } };
    };
    expect(becameBlocked(shown('DeletionRequested'), shown('DeletionBlocked'))?.message).toBe(
      'Since 2026-01-31T12:00:00Z in the way of the deletion: aws_vpc vpc-1: In use; what to do: Look',
    );
    expect(becameBlocked(shown('DeletionBlocked'), shown('DeletionBlocked'))).toBeUndefined();
  });
});

describe('events of a deletion', () => {
  it('tell of a blocker once, when it appears', () => {
    const first = after([LB], NOON);
    expect(deletionEvents(undefined, first)).toMatchObject([{ reason: 'DeletionWaiting' }]);
    expect(deletionEvents(first, after([LB], LATER, first))).toEqual([]);
    expect(deletionEvents(first, after([LB, VPC], LATER, first))).toMatchObject([
      { message: 'In the way of the deletion: aws_vpc vpc-1: In use' },
    ]);
  });

  it('tell who gave up what', () => {
    const before = after([VPC], NOON);
    const forced = { by: 'ada', reason: 'closed', at: '2026-01-31T12:00:00Z' };
    const given: DeletionStatus = { ...before, blockers: [], forced, abandoned: [{ kind: 'aws_vpc', name: 'vpc-1' }] };
    expect(deletionEvents(before, given).map(({ reason, message }) => [reason, message])).toEqual([
      ['Abandoned', 'Left behind: aws_vpc vpc-1, because ada said so: closed'],
    ]);
    expect(deletionEvents(given, given)).toEqual([]);
  });
});
