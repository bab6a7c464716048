import { beforeEach, describe, expect, it } from '@jest/globals';
import { PROJECT, type KubeList, type KubeObject, type WatchEvent } from '@crate/api';
import { PlatformError } from '@crate/errors';
import { withMethods, type Caller, type ListOptions, type ResourceApi } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi, LocalResourceRouter } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { aProject, apiKey, person } from '../testing/a-project.js';
import { OwnProjectsRouter } from './own-projects-router.js';

const TYPE = { group: PROJECT.group, version: PROJECT.version, plural: PROJECT.plural };
const ADMIN = person('ada', 'platform-admin');

let store: InMemoryResourceStore;
let kinds: KindRegistry;
let local: LocalResourceApi;
let api: ResourceApi;
beforeEach(async () => {
  store = new InMemoryResourceStore({ history: 10 });
  kinds = new KindRegistry([{ definition: PROJECT }]);
  local = new LocalResourceApi({ store, kinds });
  const router = new OwnProjectsRouter(new LocalResourceRouter(kinds, local));
  api = router.find(TYPE.group, TYPE.version, TYPE.plural)?.api as ResourceApi;
  for (const name of ['team-a', 'team-b', 'team-c'])
    await store.create(project(name, name === 'team-b' ? [] : ['anna']));
});

function project(name: string, users: readonly string[]): KubeObject {
  const { metadata: _system, ...rest } = aProject(name, {
    members: users.map((user) => ({ kind: 'User', name: user, role: 'viewer' })),
  });
  return { ...rest, metadata: { name } as KubeObject['metadata'] };
}

async function names(caller: Caller, limit?: number): Promise<readonly string[]> {
  const page = await api.list(TYPE, limit === undefined ? {} : { limit }, { caller, traceId: 't' });
  expect(page.metadata).not.toHaveProperty('remainingItemCount');
  return page.items.map(({ metadata }) => metadata.name);
}

/** What a token says beside its revision. */
function placeOf(token: string): unknown {
  return (JSON.parse(Buffer.from(token, 'base64url').toString()) as unknown[]).slice(1);
}

function expired(): PlatformError {
  return new PlatformError('Gone', 'too old', { details: { reason: 'Expired', continue: 'a token' } });
}

async function change(name: string, users: readonly string[]): Promise<void> {
  const stored = await store.find({ group: PROJECT.group, kind: PROJECT.kind, namespace: '', name });
  await store.update({ ...stored, spec: project(name, users)['spec'] } as KubeObject);
}

describe('lists of Projects', () => {
  it('hold those of the caller', async () => {
    expect(await names(person('anna'))).toEqual(['team-a', 'team-c']);
    expect(await names(person('nobody'))).toEqual([]);
    expect(await names(apiKey('team-b', 'viewer'))).toEqual(['team-b']);
    expect(await names(person('anna'), 1)).toEqual(['team-a']);
  });

  it.each([
    { caller: person('anna'), want: [['team-a'], ['team-c']] },
    { caller: person('beth'), want: [['team-d']] },
    { caller: person('nobody'), want: [[]] },
  ])('go on past those of others, and tell neither their names nor how many they are', async ({ caller, want }) => {
    await store.create(project('team-d', ['beth']));
    await store.create(project('team-e', []));
    const context = { caller, traceId: 't' };
    const pages: (readonly string[])[] = [];
    for (let place: ListOptions | undefined = {}; place;) {
      const { items, metadata }: KubeList = await api.list(TYPE, { ...place, limit: 1 }, context);
      const shown = items.map((item) => item.metadata.name);
      expect(Object.keys(metadata).filter((key) => !['continue', 'resourceVersion'].includes(key))).toEqual([]);
      if (metadata.continue !== undefined) expect(placeOf(metadata.continue)).toEqual(['', shown.at(-1)]);
      pages.push(shown);
      place = metadata.continue === undefined ? undefined : { continue: metadata.continue };
    }
    expect(pages).toEqual(want);
  });

  it('name nobody where their past is forgotten half way', async () => {
    const list: ResourceApi['list'] = (type, options, context) =>
      options.continue === undefined ? local.list(type, options, context) : Promise.reject(expired());
    const router = new OwnProjectsRouter(new LocalResourceRouter(kinds, withMethods(local, { list })));
    const projects = router.find(TYPE.group, TYPE.version, TYPE.plural)?.api as ResourceApi;
    for (let n = 0; n < 500; n += 1) await store.create(project(`other-${n}`, []));
    const page = projects.list(TYPE, { limit: 1 }, { caller: person('anna'), traceId: 't' });
    await expect(page).rejects.toMatchObject({ code: 'Gone', details: { reason: 'Expired' } });
    await expect(page).rejects.not.toMatchObject({ details: { continue: expect.anything() } });
  });

  it('hold all for the platform', async () => {
    const page = await api.list(TYPE, {}, { caller: ADMIN, traceId: 't' });
    expect(page.items).toHaveLength(3);
  });
});

describe('watches of Projects', () => {
  async function watched(caller: Caller, work: () => Promise<void>): Promise<readonly WatchEvent[]> {
    const resourceVersion = await store.currentRevision();
    await work();
    const events: WatchEvent[] = [];
    const signal = AbortSignal.timeout(100);
    for await (const event of api.watch(TYPE, { resourceVersion }, { caller, traceId: 't', signal }))
      events.push(event);
    return events;
  }

  const shown = (events: readonly WatchEvent[]): readonly string[] =>
    events.map(({ type, object }) => `${type} ${object.metadata.name}`);

  it('show a Project as it comes, changes and goes for the caller, and nothing of others', async () => {
    const events = await watched(person('anna'), async () => {
      await change('team-b', ['beth']);
      await change('team-b', ['anna', 'beth']);
      await change('team-b', ['anna']);
      await change('team-b', ['beth']);
      await change('team-b', []);
      await change('team-a', ['anna', 'beth']);
    });
    expect(shown(events)).toEqual(['ADDED team-b', 'MODIFIED team-b', 'DELETED team-b', 'MODIFIED team-a']);
    expect(events[2]?.object).not.toHaveProperty('spec');
  });

  it('say that a Project goes from which the caller was removed before anything else', async () => {
    const events = await watched(person('anna'), async () => change('team-a', ['beth']));
    expect(shown(events)).toEqual(['DELETED team-a']);
    expect(JSON.stringify(events)).not.toContain('beth');
  });

  it('say so as well together with one that comes in the meantime', async () => {
    const events = await watched(person('anna'), async () => {
      await change('team-a', ['beth']);
      await change('team-b', ['anna']);
    });
    expect(shown(events)).toEqual(['DELETED team-a', 'ADDED team-b']);
  });

  it('are quiet about a Project that others lose', async () => {
    const key = { group: PROJECT.group, kind: PROJECT.kind, namespace: '', name: 'team-b' };
    expect(await watched(person('anna'), async () => void (await store.remove(key)))).toEqual([]);
    expect(shown(await watched(ADMIN, async () => change('team-a', ['beth'])))).toEqual(['MODIFIED team-a']);
  });

  it('begin with what there is', async () => {
    const events: WatchEvent[] = [];
    const signal = AbortSignal.timeout(100);
    const context = { caller: person('anna'), traceId: 't', signal };
    for await (const event of api.watch(TYPE, { sendInitialEvents: true }, context)) events.push(event);
    expect(shown(events.filter(({ type }) => type === 'ADDED'))).toEqual(['ADDED team-a', 'ADDED team-c']);
  });

  it.each(['1000000', '1'])('end as Gone from a revision that nobody knows: %s', async (resourceVersion) => {
    if (resourceVersion === '1') for (let n = 0; n < 20; n += 1) await change('team-a', [`user-${n}`]);
    const context = { caller: person('anna'), traceId: 't', signal: AbortSignal.timeout(1_000) };
    const events = api.watch(TYPE, { resourceVersion }, context);
    await expect(events[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'Gone' });
  });
});
