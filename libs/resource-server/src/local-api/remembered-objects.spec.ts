import { beforeEach, describe, expect, it } from '@jest/globals';
import { CLUSTER, PROJECT, type KubeObject, type Project } from '@crate/api';
import { forbidden, invalidSpec, isPlatformError } from '@crate/errors';
import { TypedClient } from '@crate/resource-client';
import type { ObjectKey } from '@crate/resource-store';
import { aCluster, CLUSTERS, CONTEXT, localApi, refTo, type LocalFixture } from '../fixtures/local-api.js';
import { RememberedObjects } from './remembered-objects.js';

let fixture: LocalFixture;
let projects: TypedClient<Project>;
/** Kinds of the objects that were looked for, and of the clusters that were judged. */
let finds: string[];
let judged: string[];
beforeEach(async () => {
  fixture = localApi();
  finds = [];
  judged = [];
  const { api, kinds, store } = fixture;
  projects = new TypedClient(api, PROJECT, CONTEXT);
  const remembered = new RememberedObjects(projects);
  kinds.add({
    definition: CLUSTER,
    admit: [
      async ({ object, attempt }) => {
        judged.push(object.metadata.name);
        const project = await remembered.find('team-a', undefined, attempt);
        if (!project) throw invalidSpec('No such Project', []);
        if (project.spec.allowed.regions?.length === 0) throw forbidden('No region is allowed');
      },
    ],
  });
  await allow('us-east-1');
  const find = store.find.bind(store);
  store.find = (key: ObjectKey): Promise<KubeObject | undefined> => {
    finds.push(key.kind);
    return find(key);
  };
});

async function allow(...regions: string[]): Promise<void> {
  const spec = { displayName: 'Team A', allowed: { regions } };
  await projects.ensure({ metadata: { name: 'team-a' }, spec }, 'test');
}

/** What becomes of a new cluster. */
async function create(name: string, dryRun = false): Promise<string> {
  finds = [];
  judged = [];
  try {
    await fixture.api.create(CLUSTERS, aCluster(name), { dryRun }, CONTEXT);
    return 'stored';
  } catch (error) {
    return isPlatformError(error) ? error.code : String(error);
  }
}

describe('RememberedObjects', () => {
  it('reads once what many writes are judged by', async () => {
    expect([await create('a'), finds]).toEqual(['stored', ['Project']]);
    expect([await create('b'), finds]).toEqual(['stored', []]);
    await projects.saveStatus((await projects.find('team-a')) as Project, { conditions: [] });
    expect([await create('c'), finds]).toEqual(['stored', []]);
  });

  it('lets nothing through that is forbidden by what is stored', async () => {
    await create('a');
    await allow();
    expect(await create('b')).toBe('Forbidden');
    expect(judged).toEqual(['b', 'b']);
    await projects.remove('team-a');
    expect(await create('b')).toBe('InvalidSpec');
  });

  it('refuses nothing that is allowed by what is stored', async () => {
    await allow();
    expect(await create('a')).toBe('Forbidden');
    await allow('us-east-1');
    expect(await create('a')).toBe('stored');
    expect(judged).toEqual(['a', 'a']);
  });

  it('judges once what is refused for what is still so', async () => {
    await allow();
    await create('a');
    expect([await create('b'), judged, finds]).toEqual(['Forbidden', ['b'], ['Project']]);
  });

  it('judges a change by what is stored, too', async () => {
    await create('a');
    await allow();
    const change = fixture.api.patch(refTo(CLUSTERS, 'a'), { spec: { paused: true } }, { type: 'merge' }, CONTEXT);
    await expect(change).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('remembers nothing for a dry run, which no commit looks at', async () => {
    await create('a');
    await allow();
    expect(await create('b', true)).toBe('Forbidden');
    expect(finds).toContain('Project');
  });
});
