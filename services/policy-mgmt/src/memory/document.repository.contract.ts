import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DocumentDraft, DocumentQuery, DocumentRepository } from './document.repository.js';
import type { DocumentKey } from './remembered-document.js';

/** A repository whose clock a test can move. */
export interface DocumentRepositoryFixture {
  readonly documents: DocumentRepository;
  /** Makes what is stored look as if it had been stored so many days ago. */
  readonly ageDays: (days: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

const DAY_MS = 24 * 60 * 60_000;

export function aDraft(changes: Partial<DocumentKey> = {}, document: unknown = { size: 1 }): DocumentDraft {
  const key: DocumentKey = {
    namespace: 'team-a',
    cluster: 'demo',
    stage: 'ClusterSpec',
    kind: 'Cluster.lifecycle.crate.dev',
    name: 'demo',
    ...changes,
  };
  const { namespace, name, stage } = key;
  return { key, content: JSON.stringify({ stage, document, subject: { namespace, name } }) };
}

/** What every store of documents does. */
export function documentRepositoryContract(name: string, open: () => Promise<DocumentRepositoryFixture>): void {
  describe(`${name} as a store of documents`, () => {
    let fixture: DocumentRepositoryFixture;
    let documents: DocumentRepository;
    beforeEach(async () => {
      fixture = await open();
      ({ documents } = fixture);
    });
    afterEach(() => fixture.close());

    const PLAN = aDraft({ stage: 'TerraformPlan', kind: 'Infrastructure.cloud.crate.dev' });
    const OTHER = aDraft({ namespace: 'team-b', cluster: 'x', name: 'x' });

    async function opened(query: DocumentQuery = {}): Promise<string[]> {
      const found: string[] = [];
      for await (const { key, request } of documents.open(query)) {
        found.push(`${key.namespace}/${key.cluster} ${key.stage} ${JSON.stringify(request.document)}`);
      }
      return found;
    }

    it('gives back all of a cluster once, however many there are', async () => {
      const names = Array.from({ length: 20 }, (_, index) => `kube-system/${String(index).padStart(2, '0')}`);
      const manifests = names.map((each) => aDraft({ stage: 'Manifest', kind: 'ConfigMap', name: each }));
      await documents.save([...manifests, aDraft(), OTHER]);
      const found: string[] = [];
      for await (const { key } of documents.open({ cluster: { namespace: 'team-a', cluster: 'demo' } })) {
        found.push(key.name);
      }
      expect(found).toEqual(['demo', ...names]);
    });

    it('gives back what was stored, by key', async () => {
      await documents.save([PLAN, OTHER, aDraft()]);
      expect(await opened()).toEqual([
        'team-a/demo ClusterSpec {"size":1}',
        'team-a/demo TerraformPlan {"size":1}',
        'team-b/x ClusterSpec {"size":1}',
      ]);
      expect(await opened({ cluster: { namespace: 'team-b', cluster: 'x' } })).toHaveLength(1);
      expect(await opened({ stages: ['TerraformPlan'] })).toEqual(['team-a/demo TerraformPlan {"size":1}']);
      expect(await opened({ inProject: (project) => project === 'team-b' })).toHaveLength(1);
    });

    it('says which clusters it stored something of, and stores the same only once', async () => {
      expect(await documents.save([aDraft(), PLAN])).toEqual([{ namespace: 'team-a', cluster: 'demo' }]);
      expect(await documents.save([aDraft(), PLAN])).toEqual([]);
      expect(await documents.save([aDraft({}, { size: 2 }), PLAN])).toHaveLength(1);
      expect(await opened({ stages: ['ClusterSpec'] })).toEqual(['team-a/demo ClusterSpec {"size":2}']);
    });

    it('has a digest that moves with every change, and only then', async () => {
      const cluster = { namespace: 'team-a', cluster: 'demo' };
      expect(await documents.digestOf(cluster)).toBeUndefined();
      await documents.save([aDraft()]);
      const first = await documents.digestOf(cluster);
      await documents.save([aDraft(), OTHER]);
      expect(await documents.digestOf(cluster)).toBe(first);
      await documents.save([aDraft({}, { size: 2 })]);
      const second = await documents.digestOf(cluster);
      await documents.save([PLAN]);
      expect(new Set([first, second, await documents.digestOf(cluster)]).size).toBe(3);
    });

    it.each([
      { which: { namespace: 'team-a' }, left: 1, reason: 'a Project' },
      { which: { namespace: 'team-a', cluster: 'demo' }, left: 1, reason: 'a cluster' },
      { which: { namespace: 'team-a', cluster: 'demo', stage: 'TerraformPlan' as const }, left: 2, reason: 'a stage' },
      { which: { namespace: 'team-a', cluster: 'other' }, left: 3, reason: 'nothing' },
    ])('forgets $reason', async ({ which, left }) => {
      await documents.save([aDraft(), PLAN, OTHER]);
      expect(await documents.forget(which)).toHaveLength(left === 3 ? 0 : 1);
      expect(await opened()).toHaveLength(left);
    });

    it('removes what nobody asked about for long, and keeps what somebody did', async () => {
      await documents.save([aDraft(), OTHER]);
      await fixture.ageDays(8);
      await documents.save([aDraft()]);
      expect(await documents.removeUnseen(7 * DAY_MS)).toEqual([{ namespace: 'team-b', cluster: 'x' }]);
      expect(await documents.clusters()).toEqual([{ namespace: 'team-a', cluster: 'demo' }]);
      expect(await documents.removeUnseen(7 * DAY_MS)).toEqual([]);
    });

    it('notes the day alone of what comes without content, where it is there', async () => {
      await documents.save([aDraft(), OTHER]);
      await fixture.ageDays(8);
      const { key } = aDraft();
      expect(await documents.save([{ key }, { key: PLAN.key }])).toEqual([]);
      await documents.removeUnseen(7 * DAY_MS);
      expect(await opened()).toEqual(['team-a/demo ClusterSpec {"size":1}']);
    });

    it('counts by stage', async () => {
      await documents.save([aDraft(), PLAN, OTHER]);
      expect(await documents.counts()).toEqual([
        { stage: 'ClusterSpec', documents: 2 },
        { stage: 'TerraformPlan', documents: 1 },
      ]);
    });
  });
}
