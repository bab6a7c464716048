import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CONFIRM_ANNOTATION, type Cluster } from '@crate/api';
import { forbidden, toStatus } from '@crate/errors';
import { ApiClient } from '../client/api-client.js';
import { aCluster } from '../testing/a-cluster.js';
import { FakeApi, type FakeAnswer } from '../testing/fake-api.js';
import { DataDir } from '../up/data-dir.js';
import { deletePlatformCluster, egressAddresses } from './platform-cluster.js';

const HOUR_MS = 3_600_000;
const RECORD = 'recorded';

/** The platform's cluster, and when somebody confirmed that it may go, as the API has them. */
let stored: Cluster | undefined;
let writes: string[];
let outputs: object;
let fake: FakeApi;
let api: ApiClient;

beforeEach(async () => {
  const plain = aCluster();
  stored = { ...plain, spec: { ...plain.spec, deletionProtection: true } };
  writes = [];
  outputs = {};
  fake = await FakeApi.start(answer);
  api = await ApiClient.fromKubeconfig(new DataDir(fake.dataDir).adminKubeconfig());
});
afterEach(async () => fake.stop());

function answer(method: string, path: string, body: unknown): FakeAnswer {
  if (path.endsWith('/namespaces/crate-platform/infrastructures/demo')) return { body: { status: { outputs } } };
  if (!stored || !path.includes('/clusters')) return undefined;
  if (method !== 'GET') writes.push(method);
  if (method === 'PATCH') annotate((body as Pick<Cluster, 'metadata'>).metadata.annotations ?? {});
  if (method === 'DELETE') return remove(stored);
  return { body: path.includes('?') ? { items: [stored], metadata: {} } : stored };
}

/** As admission does: what says the same as before is no news. */
function annotate(given: Readonly<Record<string, string | null>>): void {
  const value = given[CONFIRM_ANNOTATION] ?? undefined;
  const { [CONFIRM_ANNOTATION]: old, [RECORD]: record } = stored?.metadata.annotations ?? {};
  const at = value === old ? record : String(Date.now());
  const annotations = value === undefined ? {} : { [CONFIRM_ANNOTATION]: value, [RECORD]: at ?? '' };
  stored = { ...stored, metadata: { ...stored?.metadata, annotations } } as Cluster;
}

function remove({ metadata, spec }: Cluster): FakeAnswer {
  const isFresh = Date.now() - Number(metadata.annotations?.[RECORD] ?? 0) < HOUR_MS;
  const isProtected = spec.deletionProtection === true && metadata.deletionTimestamp === undefined;
  if (isProtected && !(isFresh && metadata.annotations?.[CONFIRM_ANNOTATION] === metadata.name)) {
    return { status: 403, body: toStatus(forbidden('protected', {})) };
  }
  stored = undefined;
  return { body: { kind: 'Status', status: 'Success' } };
}

const removeIt = async (): Promise<void> => deletePlatformCluster(api, 'demo', 10_000);

describe('deletePlatformCluster', () => {
  it('confirms the deletion as a person would', async () => {
    await removeIt();
    expect([stored, writes.at(-1)]).toEqual([undefined, 'DELETE']);
  });

  it('confirms anew what was confirmed long ago', async () => {
    stored!.metadata = { ...stored!.metadata, annotations: { [CONFIRM_ANNOTATION]: 'demo', [RECORD]: '1' } };
    await removeIt();
    expect(stored).toBeUndefined();
  });

  it.each([
    { what: 'is not protected', change: { spec: { ...aCluster().spec } } },
    { what: 'is being deleted already', change: { metadata: { ...aCluster().metadata, deletionTimestamp: 'now' } } },
  ])('writes nothing to one that $what', async ({ change }) => {
    stored = { ...stored, ...change } as Cluster;
    await removeIt();
    expect(writes).toEqual(['DELETE']);
  });

  it('has nothing to do when the cluster is gone', async () => {
    stored = undefined;
    await removeIt();
    expect(writes).toEqual([]);
  });
});

describe('egressAddresses', () => {
  it.each([
    {
      reason: 'clouds say them once the cluster is there',
      given: { egressAddresses: ['192.0.2.1'] },
      want: ['192.0.2.1'],
    },
    { reason: 'a cluster of an older release says none', given: {}, want: [] },
  ])('are $want: $reason', async ({ given, want }) => {
    outputs = given;
    expect(await egressAddresses(api, 'demo')).toEqual(want);
  });
});
