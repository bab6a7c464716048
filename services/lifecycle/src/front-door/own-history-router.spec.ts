import { beforeEach, describe, expect, it } from '@jest/globals';
import { CLUSTER, DELETION_RECORD, toTimestamp, type KubeObject } from '@crate/api';
import type { Caller, ListOptions, ResourceApi } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi, LocalResourceRouter } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { historyStart } from '../access/history-start.js';
import { aProject, person } from '../testing/a-project.js';
import { OwnHistoryRouter } from './own-history-router.js';

const TYPE = { group: DELETION_RECORD.group, version: DELETION_RECORD.version, plural: DELETION_RECORD.plural };
const EXAMPLE = DELETION_RECORD.example as Record<string, unknown>;
const SCOPE = { namespace: 'team-a' };

let api: ResourceApi;
let local: ResourceApi;
let now: Date;
let madeAt: number;
beforeEach(async () => {
  const kinds = new KindRegistry([{ definition: DELETION_RECORD }]);
  const clock = (): Date => now;
  now = new Date();
  local = new LocalResourceApi({ store: new InMemoryResourceStore({ history: 10, clock }), kinds, clock });
  const find = (name: string): Promise<ReturnType<typeof aProject>> => {
    const project = aProject(name);
    const creationTimestamp = toTimestamp(new Date(madeAt));
    return Promise.resolve({ ...project, metadata: { ...project.metadata, creationTimestamp } });
  };
  const router = new OwnHistoryRouter(new LocalResourceRouter(kinds, local), historyStart({ find }));
  api = router.find(TYPE.group, TYPE.version, TYPE.plural)?.api as ResourceApi;
  await record('demo-1', Date.now());
});

async function record(name: string, at: number): Promise<void> {
  now = new Date(at);
  const { group, version, kind } = DELETION_RECORD;
  const document = { apiVersion: `${group}/${version}`, kind, metadata: { ...SCOPE, name }, ...EXAMPLE };
  await local.create(TYPE, document, {}, as(person('system:cloud-mgmt')));
}

function as(caller: Caller): { readonly caller: Caller; readonly traceId: string } {
  return { caller, traceId: 't' };
}

async function seenBy(caller: Caller): Promise<readonly unknown[]> {
  const got = await api.get({ ...TYPE, ...SCOPE, name: 'demo-1' }, as(caller)).catch((error: unknown) => error);
  const { items } = await api.list(TYPE, SCOPE, as(caller));
  const watched: KubeObject[] = [];
  for await (const { type, object } of api.watch(TYPE, { ...SCOPE, timeoutMs: 100 }, as(caller)))
    if (type !== 'BOOKMARK') watched.push(object);
  return [(got as { code?: string }).code ?? 'got', items.length, watched.length];
}

describe('DeletionRecords of a Project', () => {
  it('are shown where they are of this one', async () => {
    madeAt = Date.now() - 60_000;
    expect(await seenBy(person('anna'))).toEqual(['got', 1, 1]);
  });

  it('go on, page by page, past those of an earlier one, and tell neither their names nor how many they are', async () => {
    madeAt = Date.now() + 60_000;
    for (const [name, at] of [
      ['demo-2', madeAt + 1_000],
      ['demo-3', madeAt - 60_000],
      ['demo-4', madeAt + 1_000],
      ['demo-5', madeAt - 60_000],
    ] as const)
      await record(name, at);
    const first = await api.list(TYPE, { ...SCOPE, limit: 1 }, as(person('anna')));
    const { continue: token = '', resourceVersion } = first.metadata;
    expect(first.items.map(({ metadata }) => metadata.name)).toEqual(['demo-2']);
    expect(first.metadata).toEqual({ resourceVersion, continue: token });
    expect(JSON.parse(Buffer.from(token, 'base64url').toString())).toEqual([
      Number(resourceVersion),
      'team-a',
      'demo-2',
    ]);
    const second = await api.list(TYPE, { ...SCOPE, limit: 1, continue: token }, as(person('anna')));
    expect(second.items.map(({ metadata }) => metadata.name)).toEqual(['demo-4']);
    expect(second.metadata).toEqual({ resourceVersion });
  });

  it('are hidden where they are of an earlier one with its name, except from platform administrators', async () => {
    madeAt = Date.now() + 60_000;
    expect(await seenBy(person('anna'))).toEqual(['NotFound', 0, 0]);
    expect(await seenBy(person('ada', 'platform-admin'))).toEqual(['got', 1, 1]);
  });
});

describe('what a Project held before', () => {
  const CLUSTERS = { group: CLUSTER.group, version: CLUSTER.version, plural: CLUSTER.plural };
  const ANNA = person('anna');
  const ADA = person('ada', 'platform-admin');
  const START = Date.parse('2026-01-01T12:00:00Z');

  let now: number;
  let stored: ResourceApi;
  let clusters: ResourceApi;
  beforeEach(() => {
    const kinds = new KindRegistry([{ definition: CLUSTER }]);
    const clock = (): Date => new Date(now);
    stored = new LocalResourceApi({ store: new InMemoryResourceStore({ clock }), kinds, clock });
    const project = aProject('team-a');
    const metadata = { ...project.metadata, creationTimestamp: toTimestamp(new Date(START)) };
    const find = (): Promise<typeof project> => Promise.resolve({ ...project, metadata });
    const router = new OwnHistoryRouter(new LocalResourceRouter(kinds, stored), historyStart({ find }));
    clusters = router.find(CLUSTERS.group, CLUSTERS.version, CLUSTERS.plural)?.api as ResourceApi;
  });

  async function create(name: string, at: number): Promise<string> {
    now = at;
    const { example } = CLUSTER as { readonly example: Record<string, unknown> };
    const given = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Cluster', ...example };
    const { object } = await stored.create(CLUSTERS, { ...given, metadata: { ...SCOPE, name } }, {}, as(ADA));
    return object.metadata.resourceVersion;
  }

  const remove = (name: string): Promise<unknown> => stored.remove({ ...CLUSTERS, ...SCOPE, name }, {}, as(ADA));

  async function listed(options: ListOptions, caller = ANNA): Promise<readonly unknown[]> {
    const { items, metadata } = await clusters.list(CLUSTERS, { ...SCOPE, ...options }, as(caller));
    return [items.map((item) => item.metadata.name), Object.keys(metadata).filter((key) => key !== 'resourceVersion')];
  }

  async function watched(resourceVersion: string, caller = ANNA): Promise<readonly string[]> {
    const told = [];
    for await (const { type, object } of clusters.watch(
      CLUSTERS,
      { ...SCOPE, resourceVersion, timeoutMs: 100 },
      as(caller),
    ))
      told.push(`${type} ${object.metadata.name}`);
    return told;
  }

  it('is not listed at a version of that time, nor by the token of a page, nor counted', async () => {
    await create('theirs-1', START - 60_000);
    const resourceVersion = await create('theirs-2', START - 60_000);
    const past = { resourceVersion, resourceVersionMatch: 'Exact' as const, limit: 1 };
    const { metadata } = await stored.list(CLUSTERS, { ...SCOPE, ...past }, as(ADA));
    for (const name of ['theirs-1', 'theirs-2']) await remove(name);
    await create('ours', START);
    expect(await listed(past)).toEqual([[], []]);
    expect(await listed({ continue: metadata.continue ?? '' })).toEqual([[], []]);
    expect(await listed(past, ADA)).toEqual([['theirs-1'], ['continue', 'remainingItemCount']]);
  });

  it('ends no list in which something of the Project stands beside it', async () => {
    await create('a-report-that-stayed', START - 60_000);
    await create('b-ours', START);
    const resourceVersion = await create('c-ours', START);
    const page = { resourceVersion, resourceVersionMatch: 'Exact' as const };
    expect(await listed({ ...page, limit: 2 })).toEqual([['b-ours', 'c-ours'], []]);
    expect(await listed({ ...page, limit: 1 })).toEqual([['b-ours'], ['continue']]);
  });

  it('is neither counted nor told of by a page that it stands behind', async () => {
    await create('a-ours', START);
    await create('b-ours', START);
    await create('c-a-report-that-stayed', START - 60_000);
    const resourceVersion = await create('d-another', START - 60_000);
    const exactly = { resourceVersion, resourceVersionMatch: 'Exact' as const };
    const { metadata } = await clusters.list(CLUSTERS, { ...SCOPE, ...exactly, limit: 1 }, as(ANNA));
    const { continue: token = '', ...rest } = metadata;
    expect(rest).toEqual({ resourceVersion });
    expect(JSON.parse(Buffer.from(token, 'base64url').toString())).toEqual([
      Number(resourceVersion),
      'team-a',
      'a-ours',
    ]);
    expect(await listed({ continue: token, limit: 1 })).toEqual([['b-ours'], []]);
    expect(await listed({ ...exactly, limit: 2 })).toEqual([['a-ours', 'b-ours'], []]);
    expect(await listed({ ...exactly, limit: 2 }, ADA)).toEqual([
      ['a-ours', 'b-ours'],
      ['continue', 'remainingItemCount'],
    ]);
  });

  it('leaves pages of views as they are, whose tokens are their own', async () => {
    await create('a-ours', START);
    const resourceVersion = await create('b-ours', START);
    const { list } = stored;
    stored.list = async (...request) => {
      const page = await list.apply(stored, request);
      return { ...page, metadata: { resourceVersion, continue: 'of-its-own' } };
    };
    const { metadata } = await clusters.list(CLUSTERS, { ...SCOPE, resourceVersion, limit: 1 }, as(ANNA));
    expect(metadata).toEqual({ resourceVersion, continue: 'of-its-own' });
  });

  it('is not told by a watch from a version of that time', async () => {
    const from = await create('theirs', START - 60_000);
    await remove('theirs');
    await create('ours', START);
    await remove('ours');
    expect(await watched(from)).toEqual(['ADDED ours', 'DELETED ours']);
    expect(await watched(from, ADA)).toEqual(['DELETED theirs', 'ADDED ours', 'DELETED ours']);
  });

  it('is not deleted with a collection of that time, either', async () => {
    const resourceVersion = await create('demo', START - 60_000);
    await create('other', START - 60_000);
    for (const name of ['demo', 'other']) await remove(name);
    await create('demo', START);
    const past = { ...SCOPE, resourceVersion, resourceVersionMatch: 'Exact' as const, limit: 1 };
    expect(await clusters.removeCollection(CLUSTERS, past, {}, as(ANNA))).toMatchObject({ items: [] });
    expect(await listed({})).toEqual([['demo'], []]);
  });

  it('is not deleted by its name either where something of the Project stands behind it', async () => {
    await create('a', START - 60_000);
    const resourceVersion = await create('b', START);
    await remove('a');
    await create('a', START);
    const past = { ...SCOPE, resourceVersion, resourceVersionMatch: 'Exact' as const, limit: 1 };
    expect(await clusters.removeCollection(CLUSTERS, past, {}, as(ANNA))).toMatchObject({ items: [] });
    expect(await listed({})).toEqual([['a', 'b'], []]);
  });

  it.each([
    { what: 'made within the second of the Project', at: START },
    { what: 'made by a replica whose clock is behind that of another', at: START - 10_000 },
  ])('leaves out nothing of what is $what', async ({ at }) => {
    const resourceVersion = await create('ours', at);
    const second = await create('second', at);
    expect(await listed({ resourceVersion, resourceVersionMatch: 'Exact' })).toEqual([['ours'], []]);
    const page = { resourceVersion: second, resourceVersionMatch: 'Exact' as const, limit: 1 };
    expect(await listed(page)).toEqual([['ours'], ['continue']]);
    expect(await watched(resourceVersion)).toEqual(['ADDED second']);
  });
});
