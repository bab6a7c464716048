import { beforeEach, describe, expect, it } from '@jest/globals';
import { CLUSTER_NAME_LABEL, CLUSTER_UID_LABEL, type EventObject } from '@crate/api';
import { EVENT_COLLECTION } from '@crate/events';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryLogger } from '@crate/telemetry';
import { EventGatherer } from './event-gatherer.js';
import { ProjectBirths } from './project-births.js';

const NOW = new Date('2026-11-21T12:00:00Z');
const DAY_MS = 86_400_000;

let store: InMemoryResourceStore;
let logger: InMemoryLogger;
let births: Record<string, string>;
beforeEach(() => {
  store = new InMemoryResourceStore();
  logger = new InMemoryLogger();
  births = { 'team-a': '2026-11-21T09:00:00Z' };
});

function gatherer(): EventGatherer {
  const find = (name: string): Promise<never> => {
    const creationTimestamp = births[name];
    return Promise.resolve((creationTimestamp ? { metadata: { creationTimestamp } } : undefined) as never);
  };
  const projects = new ProjectBirths({ find });
  return new EventGatherer({ sources: [], store, projects, keepMs: DAY_MS, logger, now: () => NOW });
}

function anEvent(changes: Partial<EventObject> = {}, labels: Record<string, string> = {}): EventObject {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: 'demo.0123',
      namespace: 'team-a',
      uid: 'there',
      resourceVersion: '77',
      generation: 1,
      creationTimestamp: '2026-11-21T10:00:00Z',
      labels,
    },
    involvedObject: { kind: 'Infrastructure', name: 'demo', namespace: 'team-a', uid: 'infrastructure-uid' },
    type: 'Normal',
    reason: 'TerraformPlanned',
    message: 'Plan: 3 to create',
    count: 1,
    firstTimestamp: '2026-11-21T10:00:00.000Z',
    lastTimestamp: '2026-11-21T10:00:00.000Z',
    source: { component: 'cloud-mgmt' },
    ...changes,
  };
}

const OF_DEMO = { [CLUSTER_NAME_LABEL]: 'demo', [CLUSTER_UID_LABEL]: 'cluster-uid' };

async function kept(): Promise<readonly EventObject[]> {
  return (await store.list(EVENT_COLLECTION)).items as readonly EventObject[];
}

describe('EventGatherer', () => {
  it('keeps what a child tells, and tells it of its Cluster as well', async () => {
    await gatherer().gather(anEvent({}, OF_DEMO));
    const [one, other] = await kept();
    const byKind = new Map([one, other].map((event) => [event?.involvedObject.kind, event]));
    expect(byKind.get('Infrastructure')).toMatchObject({
      metadata: { name: 'demo.0123' },
      involvedObject: { uid: 'infrastructure-uid' },
    });
    expect(byKind.get('Cluster')).toMatchObject({
      involvedObject: {
        apiVersion: 'lifecycle.crate.dev/v1alpha1',
        name: 'demo',
        namespace: 'team-a',
        uid: 'cluster-uid',
      },
      related: { kind: 'Infrastructure' },
      reason: 'TerraformPlanned',
      source: { component: 'cloud-mgmt' },
    });
  });

  it('writes nothing when it sees the same again, and the count when it moved', async () => {
    await gatherer().gather(anEvent({}, OF_DEMO));
    const before = await store.currentRevision();
    await gatherer().gather(anEvent({}, OF_DEMO));
    expect(await store.currentRevision()).toBe(before);

    await gatherer().gather(anEvent({ count: 2, lastTimestamp: '2026-11-21T11:00:00.000Z' }, OF_DEMO));
    expect((await kept()).map(({ count }) => count)).toEqual([2, 2]);
  });

  it('comes to the same where two replicas see it at once', async () => {
    await Promise.all([gatherer().gather(anEvent({}, OF_DEMO)), gatherer().gather(anEvent({}, OF_DEMO))]);
    expect(await kept()).toHaveLength(2);
  });

  it.each([
    { name: 'too long ago', event: { lastTimestamp: '2026-11-20T11:59:00.000Z' }, births: {} },
    { name: 'in an earlier Project of that name', event: {}, births: { 'team-a': '2026-11-21T10:00:01Z' } },
    { name: 'in a Project that is gone', event: {}, births: { 'team-a': '' } },
  ])('leaves out what happened $name', async (given) => {
    Object.assign(births, given.births);
    await gatherer().gather(anEvent(given.event, OF_DEMO));
    expect(await kept()).toEqual([]);
  });

  it('goes on behind an event that cannot be stored', async () => {
    await gatherer().gather(anEvent({ message: 'half a pair \ud800' }));
    expect(await kept()).toEqual([]);
    expect(logger.lines).toMatchObject([{ level: 'warn', message: 'Dropping an event that cannot be stored' }]);
  });

  it('keeps what is about objects without a namespace', async () => {
    await gatherer().gather({ ...anEvent(), metadata: { ...anEvent().metadata, namespace: 'default' } });
    expect(await kept()).toHaveLength(1);
  });
});
