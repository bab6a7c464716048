import { describe, expect, it } from '@jest/globals';
import { aFailure } from './testing/a-channel.js';
import { subjectOf, tellingOf, type ToldEvent } from './telling.js';

function told(event = aFailure()): ToldEvent {
  const telling = tellingOf(event);
  if (!telling) throw new Error('Nothing is told');
  return telling;
}

describe('tellingOf', () => {
  it('says what happened to what, where, and what to do', () => {
    expect(told()).toEqual({
      eventId: 'demo.0123 2026-11-21T10:00:00.000Z',
      project: 'team-a',
      object: { kind: 'Cluster', name: 'demo', uid: 'cluster-uid' },
      part: { kind: 'Infrastructure', name: 'demo', uid: 'infrastructure-uid' },
      cluster: { name: 'demo', uid: 'cluster-uid' },
      severity: 'Warning',
      reason: 'QuotaExceeded',
      message: 'The quota of machines is spent',
      field: 'spec.nodePools[0].replicas',
      whatToDo: 'Ask for a higher quota',
      component: 'cloud-mgmt',
      count: 3,
      firstAt: '2026-11-21T10:00:00.000Z',
      lastAt: '2026-11-21T10:05:00.000Z',
      traceId: 'trace-1',
    });
  });

  it('takes a copy that is made anew for the same event, and not one that was told anew', () => {
    const { metadata } = aFailure();
    const copy = told(aFailure({ metadata: { ...metadata, uid: 'later', creationTimestamp: '2026-11-21T12:00:00Z' } }));
    expect(copy.eventId).toBe(told().eventId);
    expect(told(aFailure({ firstTimestamp: '2026-11-21T12:00:00.000Z' })).eventId).not.toBe(told().eventId);
    expect(told(aFailure({ firstTimestamp: undefined })).eventId).toBe('event-uid');
  });

  it('leaves a message as it is that says no more', () => {
    expect(told(aFailure({ message: 'All is lost; really' }))).toMatchObject({ message: 'All is lost; really' });
    expect(told(aFailure({ message: 'Bad; what to do: Sleep' }))).toMatchObject({ message: 'Bad', whatToDo: 'Sleep' });
    expect(told(aFailure({ message: 'Bad; field: spec.region' }))).toMatchObject({
      message: 'Bad',
      field: 'spec.region',
    });
  });

  const infrastructure = { kind: 'Infrastructure', name: 'demo', namespace: 'team-a', uid: 'i' };
  it.each([
    { reason: 'it is told of the Cluster too', event: { involvedObject: infrastructure } },
    { reason: 'it is in no Project', event: { involvedObject: { kind: 'Project', name: 'team-a' } } },
    {
      reason: 'telling it would never end',
      event: { involvedObject: { kind: 'NotificationChannel', name: 'alerts', namespace: 'team-a' } },
    },
  ])('tells nothing where $reason', ({ event }) => {
    expect(tellingOf(aFailure(event))).toBeUndefined();
  });

  it('tells what lifecycle says of its own kinds: nothing else does', () => {
    const plan = { kind: 'Plan', name: 'p1', namespace: 'team-a', uid: 'p' };
    const event = aFailure({ involvedObject: plan, source: { component: 'lifecycle' } });
    expect(told(event)).toMatchObject({ object: { kind: 'Plan' }, cluster: { name: 'demo' } });
  });
});

describe('subjectOf', () => {
  it('is the same while the same happens to the same, in whatever words', () => {
    expect(subjectOf(told(aFailure({ message: 'In other words' })))).toBe(subjectOf(told()));
  });

  it.each([
    { what: 'object', event: { involvedObject: { kind: 'Cluster', name: 'demo', namespace: 'team-a', uid: 'later' } } },
    { what: 'reason', event: { reason: 'CapacityUnavailable' } },
    { what: 'severity', event: { type: 'Normal' } },
  ])('differs by $what', ({ event }) => {
    expect(subjectOf(told(aFailure(event)))).not.toBe(subjectOf(told()));
  });
});
