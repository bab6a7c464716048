import { describe, expect, it } from '@jest/globals';
import type { EventObject } from './event.js';
import { EVENT_V1, eventV1Of, storedEventFields } from './event-v1.js';

const metadata = {
  name: 'demo.1',
  namespace: 'team-a',
  uid: 'u',
  resourceVersion: '7',
  generation: 1,
  creationTimestamp: '2026-11-21T10:00:00Z',
};

const stored: EventObject = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata,
  involvedObject: { kind: 'Cluster', name: 'demo', namespace: 'team-a' },
  reason: 'QuotaExceeded',
  message: 'No more machines',
  type: 'Warning',
  count: 3,
  firstTimestamp: '2026-11-21T10:00:00.123Z',
  lastTimestamp: '2026-11-21T10:05:00Z',
  eventTime: '2026-11-21T10:00:00.123000Z',
  source: { component: 'cloud-mgmt' },
};

describe('eventV1Of', () => {
  it('says the same in the other words', () => {
    expect(eventV1Of(stored)).toEqual({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata,
      regarding: stored.involvedObject,
      note: 'No more machines',
      reason: 'QuotaExceeded',
      type: 'Warning',
      eventTime: '2026-11-21T10:00:00.123000Z',
      reportingController: 'cloud-mgmt',
      series: { count: 3, lastObservedTime: '2026-11-21T10:05:00.000000Z' },
      deprecatedSource: { component: 'cloud-mgmt' },
      deprecatedCount: 3,
      deprecatedFirstTimestamp: '2026-11-21T10:00:00.123Z',
      deprecatedLastTimestamp: '2026-11-21T10:05:00Z',
    });
  });

  it('has no series when it happened once', () => {
    expect(eventV1Of({ ...stored, count: 1 })).not.toHaveProperty('series');
  });
});

describe('storedEventFields', () => {
  it.each([
    {
      selector: 'regarding.kind=Cluster,regarding.name=demo',
      want: 'involvedObject.kind=Cluster,involvedObject.name=demo',
    },
    { selector: 'reportingController!=x', want: 'reportingComponent!=x' },
    { selector: 'involvedObject.name=demo', want: 'involvedObject.name=demo' },
    { selector: 'reason=regarding.x', want: 'reason=regarding.x' },
  ])('$selector', ({ selector, want }) => {
    expect(storedEventFields(selector)).toBe(want);
  });

  it('knows every field that is offered', () => {
    expect(EVENT_V1.selectableFields).toContain('regarding.uid');
    expect(EVENT_V1.selectableFields.join()).not.toContain('involvedObject');
  });
});
