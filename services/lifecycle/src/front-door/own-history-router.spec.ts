import { beforeEach, describe, expect, it } from '@jest/globals';
import { DELETION_RECORD, toTimestamp, type KubeObject } from '@crate/api';
import type { Caller, ResourceApi } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi, LocalResourceRouter } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { historyStart } from '../access/history-start.js';
import { aProject, person } from '../testing/a-project.js';
import { OwnHistoryRouter } from './own-history-router.js';

const TYPE = { group: DELETION_RECORD.group, version: DELETION_RECORD.version, plural: DELETION_RECORD.plural };
const EXAMPLE = DELETION_RECORD.example as Record<string, unknown>;
const SCOPE = { namespace: 'team-a' };

let api: ResourceApi;
let madeAt: number;
beforeEach(async () => {
  const kinds = new KindRegistry([{ definition: DELETION_RECORD }]);
  const store = new InMemoryResourceStore({ history: 10 });
  const local = new LocalResourceApi({ store, kinds });
  const find = (name: string): Promise<ReturnType<typeof aProject>> => {
    const project = aProject(name);
    const creationTimestamp = toTimestamp(new Date(madeAt));
    return Promise.resolve({ ...project, metadata: { ...project.metadata, creationTimestamp } });
  };
  const router = new OwnHistoryRouter(new LocalResourceRouter(kinds, local), historyStart({ find }));
  api = router.find(TYPE.group, TYPE.version, TYPE.plural)?.api as ResourceApi;
  const metadata = { ...SCOPE, name: 'demo-1' };
  const { group, version, kind } = DELETION_RECORD;
  const record = { apiVersion: `${group}/${version}`, kind, metadata, ...EXAMPLE };
  await local.create(TYPE, record, {}, as(person('system:cloud-mgmt')));
});

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

  it('are hidden where they are of an earlier one with its name, except from platform administrators', async () => {
    madeAt = Date.now() + 60_000;
    expect(await seenBy(person('anna'))).toEqual(['NotFound', 0, 0]);
    expect(await seenBy(person('ada', 'platform-admin'))).toEqual(['got', 1, 1]);
  });
});
