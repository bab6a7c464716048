import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CLUSTER_NAME_LABEL, CLUSTER_UID_LABEL, type EventObject } from '@crate/api';
import { unavailable } from '@crate/errors';
import type { EventDraft } from '@crate/reconcile';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryLogger, InMemoryMetrics, PassingSpan, runInSpan } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { EVENT_COLLECTION } from './event-object.js';
import { StoredEventRecorder } from './stored-event-recorder.js';
import { anObject } from './testing/an-object.js';

const PLANNED: EventDraft = { type: 'Normal', reason: 'TerraformPlanned', message: 'Plan: 3 to create' };
const FAILED: EventDraft = { type: 'Warning', reason: 'QuotaExceeded', message: 'No more machines' };

let store: InMemoryResourceStore;
let now: Date;
let recorder: StoredEventRecorder;
beforeEach(() => {
  store = new InMemoryResourceStore();
  now = new Date('2026-11-21T10:00:00.500Z');
  recorder = aRecorder();
});
afterEach(() => recorder.close());

function aRecorder(): StoredEventRecorder {
  return new StoredEventRecorder({
    store,
    reporter: { component: 'cloud-mgmt', instance: 'host-1' },
    logger: new InMemoryLogger(),
    metrics: new InMemoryMetrics(),
    now: () => now,
  });
}

async function recorded(): Promise<readonly EventObject[]> {
  await recorder.close();
  return (await store.list(EVENT_COLLECTION)).items as readonly EventObject[];
}

describe('StoredEventRecorder', () => {
  it('stores what happened as clients of Kubernetes read it', async () => {
    recorder.record(anObject('demo'), { ...PLANNED, traceId: 'trace' });
    expect(await recorded()).toMatchObject([
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { namespace: 'team-a', annotations: { 'crate.dev/trace-id': 'trace' } },
        involvedObject: { kind: 'Infrastructure', name: 'demo', namespace: 'team-a', uid: 'uid-demo' },
        ...PLANNED,
        count: 1,
        firstTimestamp: '2026-11-21T10:00:00.500Z',
        lastTimestamp: '2026-11-21T10:00:00.500Z',
        source: { component: 'cloud-mgmt' },
      },
    ]);
  });

  it('cuts a long message in no character, so that it can be stored', async () => {
    recorder.record(anObject('demo'), { ...FAILED, message: `${'x'.repeat(1022)}🚫🚫` });
    expect(await recorded()).toMatchObject([{ message: `${'x'.repeat(1022)}…` }]);
  });

  it('counts what happens again in the same words, also in another process, and keeps when it was first', async () => {
    recorder.record(anObject('demo'), FAILED);
    recorder.record(anObject('demo'), { ...FAILED, traceId: 'of another attempt' });
    await recorder.close();
    recorder = aRecorder();
    now = new Date('2026-11-21T10:05:00Z');
    recorder.record(anObject('demo'), FAILED);
    expect(await recorded()).toMatchObject([
      { count: 3, firstTimestamp: '2026-11-21T10:00:00.500Z', lastTimestamp: '2026-11-21T10:05:00.000Z' },
    ]);
  });

  it('looks for what is stored already only when it may be', async () => {
    const find = store.find.bind(store);
    let finds = 0;
    store.find = (key) => {
      finds += 1;
      return find(key);
    };
    recorder.record(anObject('demo'), FAILED);
    await eventually(async () => (await store.list(EVENT_COLLECTION)).items.length === 1);
    expect(finds).toBe(0);
    recorder.record(anObject('demo'), FAILED);
    expect(await recorded()).toMatchObject([{ count: 2 }]);
    expect(finds).toBe(1);
  });

  it('keeps apart what differs in object, reason or words', async () => {
    recorder.record(anObject('demo'), PLANNED);
    recorder.record(anObject('test'), PLANNED);
    recorder.record(anObject('demo'), { ...PLANNED, reason: 'TerraformApplied' });
    recorder.record(anObject('demo'), { ...PLANNED, message: 'Plan: 4 to create' });
    expect(await recorded()).toHaveLength(4);
  });

  it('tells together what an object says in ever different words', async () => {
    for (let i = 0; i < 20; i++) recorder.record(anObject('demo'), { ...FAILED, message: `Request ${i} was refused` });
    const events = await recorded();
    expect(events).toHaveLength(11);
    expect(events.filter(({ message }) => message?.startsWith('(combined from similar events): '))).toMatchObject([
      { count: 10, message: '(combined from similar events): Request 19 was refused' },
    ]);
  });

  it('slows down an object that tells without end, and no other one', async () => {
    for (let i = 0; i < 40; i++) recorder.record(anObject('demo'), { ...PLANNED, reason: `Reason${i}` });
    recorder.record(anObject('test'), PLANNED);
    expect(await recorded()).toHaveLength(26);
  });

  it('waits for a store that is away', async () => {
    const create = store.create.bind(store);
    let refused = 0;
    store.create = () => {
      refused += 1;
      return Promise.reject(unavailable('The database is away'));
    };
    recorder.record(anObject('demo'), FAILED);
    await eventually(() => refused > 0);
    store.create = create;
    expect(await recorded()).toMatchObject([{ ...FAILED, count: 1 }]);
  });

  it('says which Cluster a child was made for, unless only the child is concerned', async () => {
    const labels = { [CLUSTER_NAME_LABEL]: 'demo', [CLUSTER_UID_LABEL]: 'cluster-uid', other: 'label' };
    recorder.record(anObject('demo', labels), PLANNED);
    recorder.record(anObject('demo', labels), { ...FAILED, isInternal: true });
    const byReason = new Map((await recorded()).map((event) => [event.reason, event.metadata.labels]));
    expect(byReason.get('TerraformPlanned')).toEqual({
      [CLUSTER_NAME_LABEL]: 'demo',
      [CLUSTER_UID_LABEL]: 'cluster-uid',
    });
    expect(byReason.get('QuotaExceeded')).toBeUndefined();
  });

  it('names the trace of the work at hand where none is named', async () => {
    const span = new PassingSpan({ traceId: 'current', parentId: '1'.repeat(16), sampled: false });
    runInSpan(span, {}, () => {
      recorder.record(anObject('demo'), PLANNED);
      recorder.record(anObject('demo'), { ...FAILED, traceId: 'named' });
    });
    const traces = (await recorded()).map(({ reason, metadata }) => [
      reason,
      metadata.annotations?.['crate.dev/trace-id'],
    ]);
    expect(new Map(traces as [string, string][])).toEqual(
      new Map([
        ['TerraformPlanned', 'current'],
        ['QuotaExceeded', 'named'],
      ]),
    );
  });

  it('puts what it tells about an object without namespace where Kubernetes does', async () => {
    const { namespace: _, ...metadata } = anObject('demo').metadata;
    recorder.record({ ...anObject('demo'), metadata }, PLANNED);
    expect(await recorded()).toMatchObject([{ metadata: { namespace: 'default' } }]);
  });
});
