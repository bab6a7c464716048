import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { InMemoryEngineRunRepository } from '../in-memory-engine-run.repository.js';
import { ensureWorkspaceRoot, removeEmptyRoot, sweepWorkspaces } from './workspace-root.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'workspace-root-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('ensureWorkspaceRoot', () => {
  it('lies in memory where there is such a place, one for each installation', async () => {
    const first = await ensureWorkspaceRoot('/data/one', folder);

    expect(first.startsWith(folder)).toBe(true);
    expect((await stat(first)).mode & 0o777).toBe(0o700);
    expect(await ensureWorkspaceRoot('/data/one', folder)).toBe(first);
    expect(await ensureWorkspaceRoot('/data/two', folder)).not.toBe(first);
  });

  it('falls back to the configured folder', async () => {
    const fallback = join(folder, 'data', 'workspaces');

    expect(await ensureWorkspaceRoot(fallback, join(folder, 'absent'))).toBe(fallback);
  });

  it.each([
    { name: 'open to others', prepare: (root: string) => chmod(root, 0o755) },
    {
      name: 'a link laid by somebody',
      prepare: async (root: string) => {
        await rm(root, { recursive: true });
        await mkdir(join(folder, 'elsewhere'));
        await symlink(join(folder, 'elsewhere'), root);
      },
    },
  ])('refuses a folder that is $name', async ({ prepare }) => {
    await prepare(await ensureWorkspaceRoot('/data/one', folder));

    await expect(ensureWorkspaceRoot('/data/one', folder)).rejects.toMatchObject({ code: 'Forbidden' });
  });
});

describe('sweepWorkspaces', () => {
  it('removes what no open run names, and nothing else', async () => {
    const runs = new InMemoryEngineRunRepository();
    for (const name of ['open', 'ended', 'unknown']) await mkdir(join(folder, name));
    for (const id of ['open', 'ended']) {
      const workspace = join(folder, id);
      await runs.open({ id, clusterUid: 'c', kind: 'up', configHash: 'h', epoch: 1n, workspace });
    }
    await runs.close('ended', 'failed');
    await sweepWorkspaces(folder, runs);

    expect(await readdir(folder)).toEqual(['open']);
  });

  it('keeps the folder of a run that another replica on the host begins meanwhile', async () => {
    const workspace = join(folder, 'begun');
    const runs = new (class extends InMemoryEngineRunRepository {
      override async openWorkspaces(): Promise<readonly string[]> {
        const answer = await super.openWorkspaces();
        await this.open({ id: 'begun', clusterUid: 'c', kind: 'up', configHash: 'h', epoch: 1n, workspace });
        await mkdir(workspace);
        return answer;
      }
    })();
    await sweepWorkspaces(folder, runs);

    expect(await readdir(folder)).toEqual(['begun']);
  });

  it('has nothing to do where there is no folder yet', async () => {
    await expect(sweepWorkspaces(join(folder, 'absent'), new InMemoryEngineRunRepository())).resolves.toBeUndefined();
  });
});

describe('removeEmptyRoot', () => {
  it('removes a folder that nothing is in, and no other', async () => {
    const root = join(folder, 'root');
    await mkdir(join(root, 'run'), { recursive: true });
    await removeEmptyRoot(root);
    expect(await readdir(root)).toEqual(['run']);

    await rm(join(root, 'run'), { recursive: true });
    await removeEmptyRoot(root);
    await removeEmptyRoot(root);
    expect(await readdir(folder)).toEqual([]);
  });
});
