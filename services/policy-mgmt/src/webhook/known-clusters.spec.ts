import type { PolicyReviewRequest } from '@crate/api';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { InMemoryDocumentRepository } from '../memory/in-memory-document.repository.js';
import { documentKeyOf } from '../memory/remembered-document.js';
import { KnownClusters } from './known-clusters.js';

const POD: PolicyReviewRequest = {
  stage: 'Manifest',
  document: { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'web' } },
  subject: { namespace: 'team-a', name: 'web', cluster: 'demo' },
};

let documents: InMemoryDocumentRepository;
let nowMs: number;
let clusters: KnownClusters;
beforeEach(() => {
  documents = new InMemoryDocumentRepository();
  nowMs = 0;
  clusters = new KnownClusters(documents, () => nowMs);
});

async function judged(environment: string): Promise<void> {
  const subject = { namespace: 'team-a', name: 'demo', labels: { environment }, provider: 'aws', engine: 'rke' };
  const document = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Cluster', metadata: { name: 'demo' } };
  const request = { stage: 'ClusterSpec' as const, document, subject };
  await documents.save([{ key: documentKeyOf(request), content: JSON.stringify(request) }]);
}

describe('KnownClusters', () => {
  it('says of a cluster what was judged of its spec', async () => {
    await judged('production');
    expect((await clusters.describe(POD)).subject).toEqual({
      ...POD.subject,
      ...{ labels: { environment: 'production' }, provider: 'aws', engine: 'rke' },
    });
  });

  it('sees that it has changed after ten seconds', async () => {
    await judged('test');
    await clusters.describe(POD);
    await judged('production');
    expect((await clusters.describe(POD)).subject.labels).toEqual({ environment: 'test' });
    nowMs = 10_000;
    expect((await clusters.describe(POD)).subject.labels).toEqual({ environment: 'production' });
  });

  it('adds nothing to what it does not know', async () => {
    await judged('production');
    const other = { ...POD, subject: { ...POD.subject, cluster: 'other' } };
    expect(await clusters.describe(other)).toEqual(other);
  });
});
