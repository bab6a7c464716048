import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@crate/api';
import { conflict, notFound } from '@crate/errors';
import { ensureFinalizer, hasFinalizer, removeFinalizer, saveStatusIfChanged, type FinalizerClient } from './index.js';

const OURS = 'cloud.crate.dev/infrastructures';
const THEIRS = 'example.org/audit';

function anObject(finalizers: string[], more: Partial<KubeObject['metadata']> = {}): KubeObject {
  const metadata = { name: 'demo', uid: 'u1', resourceVersion: '1', generation: 1, creationTimestamp: '' };
  return {
    apiVersion: 'v1',
    kind: 'Infrastructure',
    metadata: { ...metadata, namespace: 'team-a', finalizers, ...more },
  };
}

/** An API server with one object, which others may change before each of our writes. */
class FakeClient implements FinalizerClient<KubeObject> {
  writes = 0;

  constructor(
    public stored: KubeObject | undefined,
    private readonly meanwhile: ((stored: KubeObject) => KubeObject | undefined)[] = [],
  ) {}

  find(): Promise<KubeObject | undefined> {
    return Promise.resolve(this.stored);
  }

  async merge(name: string, _namespace: string | undefined, patch: unknown): Promise<KubeObject> {
    const change = this.meanwhile.shift();
    if (change && this.stored) this.stored = change(this.stored);
    if (!this.stored) throw notFound('Infrastructure', name);
    const { metadata } = patch as KubeObject;
    if (metadata.resourceVersion !== this.stored.metadata.resourceVersion) throw conflict('Stale');
    this.writes++;
    this.stored = anObject(metadata.finalizers ?? [], { resourceVersion: `${Number(metadata.resourceVersion) + 1}` });
    return this.stored;
  }

  async saveStatus(object: KubeObject, status: unknown): Promise<KubeObject> {
    this.writes++;
    return { ...object, status };
  }
}

const statusWritten = (stored: KubeObject): KubeObject =>
  anObject(stored.metadata.finalizers ?? [], { resourceVersion: '7' });
const theirsAdded = (stored: KubeObject): KubeObject =>
  anObject([...(stored.metadata.finalizers ?? []), THEIRS], { resourceVersion: '7' });

describe('ensureFinalizer', () => {
  it('adds to what others hold', async () => {
    const client = new FakeClient(anObject([THEIRS]));
    const changed = await ensureFinalizer(client, anObject([THEIRS]), OURS);

    expect(changed.metadata.finalizers).toEqual([THEIRS, OURS]);
    expect(hasFinalizer(changed, OURS)).toBe(true);
  });

  it('makes no call when it is there', async () => {
    const client = new FakeClient(undefined);
    const object = anObject([OURS]);

    expect(await ensureFinalizer(client, object, OURS)).toBe(object);
  });

  it.each([
    { name: 'a status', reason: 'the finalizer is not the status', change: statusWritten, want: [OURS] },
    { name: 'another finalizer', reason: 'both must stay', change: theirsAdded, want: [THEIRS, OURS] },
  ])('is not disturbed by a write of $name: $reason', async ({ change, want }) => {
    const client = new FakeClient(anObject([]), [change]);

    expect((await ensureFinalizer(client, anObject([]), OURS)).metadata.finalizers).toEqual(want);
  });

  it.each([
    { name: 'is gone', change: () => undefined },
    { name: 'was made anew', change: () => anObject([], { uid: 'u2', resourceVersion: '9' }) },
    {
      name: 'is being deleted',
      change: () => anObject([THEIRS], { deletionTimestamp: '2026-01-01T00:00:00Z', resourceVersion: '9' }),
    },
    { name: 'never holds still', change: statusWritten, times: 20 },
  ])('throws Conflict when the object $name meanwhile', async ({ change, times = 1 }) => {
    let version = 10;
    const changes = Array.from({ length: times }, () => (stored: KubeObject) => {
      const changed = change(stored);
      return changed && { ...changed, metadata: { ...changed.metadata, resourceVersion: `${version++}` } };
    });
    const client = new FakeClient(anObject([]), changes);

    await expect(ensureFinalizer(client, anObject([]), OURS)).rejects.toMatchObject({ code: 'Conflict' });
    expect(client.writes).toBe(0);
  });
});

describe('removeFinalizer', () => {
  it('takes ours and leaves others', async () => {
    const client = new FakeClient(anObject([OURS, THEIRS]), [statusWritten]);
    const changed = await removeFinalizer(client, anObject([OURS, THEIRS]), OURS);

    expect(changed?.metadata.finalizers).toEqual([THEIRS]);
  });

  it.each([
    { name: 'is gone', change: () => undefined },
    { name: 'was made anew', change: () => anObject([OURS], { uid: 'u2', resourceVersion: '9' }) },
  ])('is done when the object $name meanwhile', async ({ change }) => {
    const client = new FakeClient(anObject([OURS]), [change]);

    expect(await removeFinalizer(client, anObject([OURS]), OURS)).toBeUndefined();
    expect(client.writes).toBe(0);
  });

  it('makes no call when it is not there', async () => {
    const client = new FakeClient(anObject([THEIRS]));
    await removeFinalizer(client, anObject([THEIRS]), OURS);

    expect(client.writes).toBe(0);
  });
});

describe('saveStatusIfChanged', () => {
  it.each([
    { name: 'the same in another order', reason: 'order means nothing', status: { b: [2], a: 1 }, writes: 0 },
    {
      name: 'the same with an undefined field',
      reason: 'JSON has none',
      status: { a: 1, b: [2], c: undefined },
      writes: 0,
    },
    { name: 'another value', reason: 'it changed', status: { a: 1, b: [3] }, writes: 1 },
    { name: 'a field less', reason: 'it changed', status: { a: 1 }, writes: 1 },
  ])('given $name makes $writes writes: $reason', async ({ status, writes }) => {
    const client = new FakeClient(undefined);
    const object = { ...anObject([]), status: { a: 1, b: [2] } };
    const saved = await saveStatusIfChanged(client, object, status);

    expect(client.writes).toBe(writes);
    expect(JSON.parse(JSON.stringify(saved['status']))).toEqual(JSON.parse(JSON.stringify(status)));
  });

  it('writes the first status', async () => {
    const client = new FakeClient(undefined);
    await saveStatusIfChanged(client, anObject([]), {});

    expect(client.writes).toBe(1);
  });
});
