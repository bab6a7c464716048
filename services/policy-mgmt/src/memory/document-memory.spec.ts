import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PolicyReviewRequest } from '@crate/api';
import { unavailable } from '@crate/errors';
import { InMemoryLogger } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { DocumentMemory } from './document-memory.js';
import type { DocumentDraft } from './document.repository.js';
import { InMemoryDocumentRepository } from './in-memory-document.repository.js';
import { documentKeyOf, type ClusterKey } from './remembered-document.js';

class WatchedRepository extends InMemoryDocumentRepository {
  readonly saved: string[][] = [];
  failure: Error | undefined;

  override save(drafts: readonly DocumentDraft[]): Promise<readonly ClusterKey[]> {
    if (this.failure) return Promise.reject(this.failure);
    this.saved.push(drafts.map(({ key }) => `${key.cluster} ${key.name}`));
    return super.save(drafts);
  }
}

function request(changes: Partial<PolicyReviewRequest> = {}): PolicyReviewRequest {
  return { stage: 'ClusterSpec', document: { a: 1 }, subject: { namespace: 'team-a', name: 'demo' }, ...changes };
}

describe('DocumentMemory', () => {
  let documents: WatchedRepository;
  let changed: (readonly ClusterKey[])[];
  let dropped: number;
  let nowMs: number;
  let memory: DocumentMemory;

  beforeEach(() => {
    documents = new WatchedRepository();
    changed = [];
    dropped = 0;
    nowMs = 0;
    memory = new DocumentMemory({
      documents,
      logger: new InMemoryLogger(),
      onChange: (clusters) => Promise.resolve(void changed.push(clusters)),
      onDrop: (count) => (dropped += count),
      now: () => nowMs,
    });
  });

  const names = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { key } of documents.open({})) found.push(key.name);
    return found;
  };

  it('stores what many reviews were about in one go, the newest of each, and says whose it is', async () => {
    memory.note(request());
    memory.note(request({ document: { a: 2 } }));
    memory.note(request({ subject: { namespace: 'team-a', name: 'other' } }));
    expect(documents.saved).toEqual([]);
    await memory.flush();
    expect(documents.saved).toEqual([['demo demo', 'other other']]);
    expect(changed).toHaveLength(1);
  });

  it('stores by itself, shortly after', async () => {
    const onChange = (clusters: readonly ClusterKey[]): Promise<void> => Promise.resolve(void changed.push(clusters));
    const options = { documents, logger: new InMemoryLogger(), onChange, gatherMs: 1 };
    new DocumentMemory(options).note(request());
    await eventually(() => changed.length === 1);
    expect(await names()).toEqual(['demo']);
  });

  it('asks the store nothing about what it has just stored, and again after a minute', async () => {
    for (const seconds of [0, 1, 59, 61]) {
      nowMs = seconds * 1000;
      memory.note(request());
      await memory.flush();
    }
    expect(documents.saved).toHaveLength(2);
    expect(changed).toHaveLength(1);
  });

  it.each([
    { reason: 'was only tried', given: request({ dryRun: true }) },
    { reason: 'is going away', given: request({ operation: 'DELETE' }) },
    { reason: 'is in no Project', given: request({ subject: { namespace: '', name: 'demo' } }) },
    { reason: 'is of no cluster', given: request({ subject: { namespace: 'a', name: 'system:node' } }) },
  ])('does not remember what $reason', async ({ given }) => {
    memory.note(given);
    await memory.flush();
    expect(documents.saved).toEqual([]);
  });

  it('keeps what was to be changed and is there still, as it is remembered', async () => {
    const seen = new InMemoryDocumentRepository(() => new Date(nowMs));
    memory = new DocumentMemory({
      documents: seen,
      logger: new InMemoryLogger(),
      onChange: (clusters) => Promise.resolve(void changed.push(clusters)),
      now: () => nowMs,
    });
    memory.note(request());
    await memory.flush();
    nowMs = 8 * 24 * 60 * 60_000;
    memory.renew(request({ operation: 'UPDATE', document: { a: 2 } }));
    memory.renew(request({ operation: 'UPDATE', subject: { namespace: 'team-a', name: 'never-there' } }));
    await memory.flush();
    await seen.removeUnseen(0);
    const found: unknown[] = [];
    for await (const { request: kept } of seen.open({})) found.push(kept.document);
    expect(found).toEqual([{ a: 1 }]);
    expect(changed).toHaveLength(1);
  });

  it('keeps what nobody asks about, as long as somebody says that it is there', async () => {
    const given = request();
    memory.note(given);
    await memory.flush();
    memory.keep(documentKeyOf(given));
    await memory.flush();
    expect(documents.saved).toEqual([['demo demo']]);
    nowMs += 24 * 60 * 60_000;
    memory.keep(documentKeyOf(given));
    await memory.flush();
    expect(documents.saved).toEqual([['demo demo'], ['demo demo']]);
  });

  it('asks the store nothing about what is there still and was stored a moment ago, and takes nothing back for it', async () => {
    memory.note(request());
    memory.renew(request({ operation: 'UPDATE', document: { a: 2 } }));
    await memory.flush();
    memory.renew(request({ operation: 'UPDATE', document: { a: 2 } }));
    await memory.flush();
    expect(documents.saved).toEqual([['demo demo']]);
    expect(await names()).toEqual(['demo']);
  });

  it('tells manifests of one kind and name in two namespaces apart', async () => {
    const subject = { namespace: 'team-a', name: 'web', cluster: 'demo' };
    for (const namespace of ['one', 'two']) {
      const document = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace } };
      memory.note(request({ stage: 'Manifest', subject, document }));
    }
    await memory.flush();
    expect(await names()).toEqual(['one/web', 'two/web']);
  });

  it('forgets also what is not stored yet', async () => {
    memory.note(request());
    await memory.flush();
    memory.note(request({ document: { a: 2 } }));
    await memory.forget({ namespace: 'team-a', cluster: 'demo' });
    await memory.flush();
    expect(await names()).toEqual([]);
    // One of the same name that comes at once is another one.
    memory.note(request());
    await memory.flush();
    expect(await names()).toEqual(['demo']);
  });

  it('outlives a store that is away, and remembers when it is asked again', async () => {
    documents.failure = unavailable('away');
    memory.note(request());
    await memory.flush();
    documents.failure = undefined;
    memory.note(request());
    await memory.flush();
    expect([dropped, await names()]).toEqual([1, ['demo']]);
  });

  it('holds no more than it has room for', () => {
    const document = { text: 'x'.repeat(5_000_000) };
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      memory.note(request({ document, subject: { namespace: 'team-a', name } }));
    }
    expect(dropped).toBe(2);
  });
});
