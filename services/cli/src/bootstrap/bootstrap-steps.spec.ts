import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFile, rm } from 'node:fs/promises';
import { temporaryDataDir } from '../testing/temporary-data-dir.js';
import { BootstrapDir } from './bootstrap-dir.js';
import { singleton } from './bootstrap-steps.js';
import type { BootstrapScope } from './scope.js';

let dir: BootstrapDir;
let platform: PlayedPlatform;
beforeEach(async () => {
  dir = new BootstrapDir((await temporaryDataDir()).root);
  platform = new PlayedPlatform();
});
afterEach(async () => rm(dir.root, { recursive: true }));

/** Reads its settings when it starts, as the real one does. */
class PlayedPlatform {
  settings: string | undefined;
  starts = 0;

  async ensure(): Promise<void> {
    if (this.settings !== undefined) return;
    this.settings = await readFile(dir.serviceSettings(), 'utf8');
    this.starts += 1;
  }

  end(): Promise<void> {
    this.settings = undefined;
    return Promise.resolve();
  }
}

async function run(networks: string): Promise<void> {
  const target = { serviceSettings: { CRATE_MANAGEMENT_CIDRS: networks } };
  await singleton({ dir, target, singleton: platform } as unknown as BootstrapScope);
}

describe('the temporary platform', () => {
  it('lets in whom it is told to, though it runs already', async () => {
    await run('192.0.2.1/32');
    await run('198.51.100.7/32');
    expect(platform.settings).toBe('CRATE_MANAGEMENT_CIDRS=198.51.100.7/32\n');
  });

  it('goes on running where nothing is asked for otherwise', async () => {
    await run('192.0.2.1/32');
    await run('192.0.2.1/32');
    expect(platform.starts).toBe(1);
  });

  it('is told the next time, where whoever ended it was killed before the settings were written', async () => {
    await run('192.0.2.1/32');
    await platform.end();
    await run('198.51.100.7/32');
    expect(platform.settings).toContain('198.51.100.7/32');
  });
});
