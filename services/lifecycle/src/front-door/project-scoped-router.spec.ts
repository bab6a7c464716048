import { beforeEach, describe, expect, it } from '@jest/globals';
import { CLOUD_ACCOUNT, PROJECT, type KubeObject } from '@crate/api';
import {
  ResourceRouter,
  TypedClient,
  type CallContext,
  type KindInfo,
  type ResourceApi,
  type Route,
} from '@crate/resource-client';
import { kindInfoOf, KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { ProjectScopedRouter } from './project-scoped-router.js';

const CONTEXT: CallContext = { caller: { user: 'ada', groups: [] }, traceId: 'trace' };
const ACCOUNTS = { group: CLOUD_ACCOUNT.group, version: CLOUD_ACCOUNT.version, plural: CLOUD_ACCOUNT.plural };
const PROJECTS = { group: PROJECT.group, version: PROJECT.version, plural: PROJECT.plural };

/** Every kind of one registry, as if services had announced them. */
class LocalRouter extends ResourceRouter {
  constructor(
    private readonly infos: readonly KindInfo[],
    private readonly api: ResourceApi,
  ) {
    super();
  }

  override kinds(): readonly KindInfo[] {
    return this.infos;
  }

  override find(group: string, version: string, plural: string): Route | undefined {
    const kind = this.infos.find((each) => each.group === group && each.version === version && each.plural === plural);
    return kind && { kind, api: this.api };
  }
}

let router: ProjectScopedRouter;
let projects: TypedClient<KubeObject>;
/** What happens to the Project once it was seen, and before the account is stored. */
let onWrite: () => Promise<unknown>;
let seenTo: ReadonlySet<string>;
beforeEach(async () => {
  const kinds = new KindRegistry([
    { definition: CLOUD_ACCOUNT, admit: [() => onWrite().then(() => undefined)] },
    { definition: PROJECT },
  ]);
  const api = new LocalResourceApi({ store: new InMemoryResourceStore(), kinds });
  onWrite = () => Promise.resolve();
  projects = new TypedClient(api, PROJECT, CONTEXT);
  const infos = [CLOUD_ACCOUNT, PROJECT].map((definition) => kindInfoOf(definition));
  seenTo = new Set();
  router = new ProjectScopedRouter(
    new LocalRouter(infos, api),
    new TypedClient(api, PROJECT, CONTEXT),
    { caller: { user: 'system:lifecycle', groups: [], service: 'lifecycle' }, traceId: 'trace' },
    (kind, project) => seenTo.has(`${kind.kind} ${project}`),
  );
  await projects.ensure({ metadata: { name: 'team-a' }, spec: {} }, 'test');
});

function accounts(): ResourceApi {
  const route = router.find(ACCOUNTS.group, ACCOUNTS.version, ACCOUNTS.plural);
  if (!route) throw new Error('No route');
  return route.api;
}

function account(namespace: string): {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace: string };
} {
  return {
    apiVersion: 'cloud.crate.dev/v1alpha1',
    kind: 'CloudAccount',
    metadata: { name: 'sandbox', namespace },
    ...{ spec: { provider: 'sandbox-aws' } },
  };
}

async function apply(namespace: string): Promise<unknown> {
  const ref = { ...ACCOUNTS, name: 'sandbox', namespace };
  return accounts().patch(ref, account(namespace), { type: 'apply', fieldManager: 'test' }, CONTEXT);
}

function once(work: () => Promise<unknown>): () => Promise<unknown> {
  return () => {
    onWrite = () => Promise.resolve();
    return work();
  };
}

describe('ProjectScopedRouter', () => {
  it('lets objects come into being in Projects that exist', async () => {
    await accounts().create(ACCOUNTS, account('team-a'), {}, CONTEXT);
    await apply('team-a');
    expect((await accounts().list(ACCOUNTS, { namespace: 'team-a' }, CONTEXT)).items).toHaveLength(1);
  });

  it('leaves it to the owner of a kind who sees to that', async () => {
    seenTo = new Set(['CloudAccount team-b', 'Cluster team-c']);
    await accounts().create(ACCOUNTS, account('team-b'), {}, CONTEXT);
    const other = accounts().create(ACCOUNTS, account('team-c'), {}, CONTEXT);
    await expect(other).rejects.toMatchObject({ code: 'NotFound' });
  });

  it.each([
    { how: 'created', write: () => accounts().create(ACCOUNTS, account('team-b'), {}, CONTEXT) },
    { how: 'applied', write: () => apply('team-b') },
  ])('refuses what is $how in a Project that does not exist, naming the Project', async ({ write }) => {
    await expect(write()).rejects.toMatchObject({
      code: 'NotFound',
      message: 'projects.lifecycle.crate.dev "team-b" not found',
    });
    expect((await accounts().list(ACCOUNTS, {}, CONTEXT)).items).toEqual([]);
  });

  it.each([
    { how: 'created', write: () => accounts().create(ACCOUNTS, account('team-a'), {}, CONTEXT) },
    { how: 'applied', write: () => apply('team-a') },
  ])('takes back what is $how in a Project that is deleted meanwhile, made again or not', async ({ write }) => {
    const left = async (): Promise<readonly unknown[]> => (await accounts().list(ACCOUNTS, {}, CONTEXT)).items;
    onWrite = once(() => projects.remove('team-a'));
    await expect(write()).rejects.toMatchObject({ code: 'NotFound', details: { name: 'team-a' } });
    expect(await left()).toEqual([]);

    const again = (): Promise<unknown> => projects.ensure({ metadata: { name: 'team-a' }, spec: {} }, 'test');
    await again();
    onWrite = once(() => projects.remove('team-a').then(again));
    await expect(write()).rejects.toMatchObject({ code: 'NotFound' });
    expect(await left()).toEqual([]);
    await write();
    expect(await left()).toHaveLength(1);
  });

  describe('where a finalizer holds a Project that is being deleted', () => {
    const hold = (): Promise<unknown> => projects.merge('team-a', undefined, { metadata: { finalizers: ['a.b/c'] } });
    const refusal = {
      code: 'Forbidden',
      message: expect.stringContaining('Project "team-a" is being deleted. Use another Project'),
      details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] },
    };

    it.each([
      { how: 'created', write: () => accounts().create(ACCOUNTS, account('team-a'), {}, CONTEXT) },
      { how: 'applied', write: () => apply('team-a') },
    ])('refuses what is $how, and takes it back if that was quicker', async ({ write }) => {
      await hold();
      onWrite = once(() => projects.remove('team-a'));
      await expect(write()).rejects.toMatchObject(refusal);
      await expect(write()).rejects.toMatchObject(refusal);
      expect((await accounts().list(ACCOUNTS, {}, CONTEXT)).items).toEqual([]);
    });

    it('lets what is there be applied', async () => {
      await hold();
      await apply('team-a');
      await projects.remove('team-a');
      await apply('team-a');
      expect((await accounts().list(ACCOUNTS, {}, CONTEXT)).items).toHaveLength(1);
    });
  });

  it('takes back nothing that was there before', async () => {
    await apply('team-a');
    onWrite = once(() => projects.remove('team-a'));
    const changed = { ...account('team-a'), spec: { provider: 'aws' } };
    await accounts()
      .patch(
        { ...ACCOUNTS, name: 'sandbox', namespace: 'team-a' },
        changed,
        { type: 'apply', fieldManager: 'test' },
        CONTEXT,
      )
      .catch(() => undefined);
    expect((await accounts().list(ACCOUNTS, {}, CONTEXT)).items).toHaveLength(1);
  });

  it('lets go of what is in a Project that is gone', async () => {
    await apply('team-a');
    await projects.remove('team-a');
    const ref = { ...ACCOUNTS, name: 'sandbox', namespace: 'team-a' };
    await accounts().patch(ref, { metadata: { labels: { a: 'b' } } }, { type: 'merge' }, CONTEXT);
    expect(await accounts().get(ref, CONTEXT)).toMatchObject({ metadata: { labels: { a: 'b' } } });
    await accounts().remove(ref, {}, CONTEXT);
  });

  it('asks nothing of kinds without a namespace, and knows the kinds that the inner router knows', async () => {
    const route = router.find(PROJECTS.group, PROJECTS.version, PROJECTS.plural);
    const document = {
      apiVersion: 'lifecycle.crate.dev/v1alpha1',
      kind: 'Project',
      metadata: { name: 'team-b' },
      spec: {},
    };
    await route?.api.create(PROJECTS, document, {}, CONTEXT);

    expect(await projects.find('team-b')).toBeDefined();
    expect(router.kinds().map(({ plural }) => plural)).toEqual(['cloudaccounts', 'projects']);
    expect(router.find('nobody.dev', 'v1', 'things')).toBeUndefined();
  });
});
