import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@crate/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TerraformRunner } from './index.js';

const CONFIGURATION = { terraform: { required_providers: { aws: { source: 'hashicorp/aws', version: '6.0.0' } } } };

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-plugin-cache-'));
});
afterEach(async () => rm(directory, { recursive: true, force: true }));

const PACKAGE = 'registry.terraform.io/hashicorp/aws/6.0.0/linux_amd64';
const WHOLE = 'registry.terraform.io/hashicorp/aws/5.0.0/linux_amd64';
const quiet = { env: {}, redact: [] };
const inCache = (name: string): string => join(directory, 'plugin-cache', name);

/** A runner whose Terraform does as `first` says, begins to unpack a provider where nothing of it lies, and then does as `script` says. */
async function unpacking(script: string, first = ''): Promise<TerraformRunner> {
  const path = join(directory, 'terraform');
  const lines = [
    first,
    'mkdir -p "$TF_PLUGIN_CACHE_DIR"',
    `at="$TF_PLUGIN_CACHE_DIR/${PACKAGE}"`,
    // As Terraform does with the cache: what lies there is taken.
    `[ -d "$at" ] && { echo used >> ${join(directory, 'log')}; exit 0; }`,
    'mkdir -p "$at"; echo half > "$at/provider"',
    script,
  ];
  await writeFile(path, `#!/bin/sh\n${lines.join('\n')}\n`);
  await chmod(path, 0o755);
  const binary = { path, version: '1.9.0' };
  return new TerraformRunner({ binary, directory, path: '/usr/bin:/bin', graceMs: 60_000 });
}

const prepare = async (runner: TerraformRunner): Promise<unknown> =>
  (await runner.open('uid-1')).prepare(CONFIGURATION, quiet);

/** A runner whose Terraform takes its time and notes when it begins, with which cache, and when it ends. */
async function aRunner(): Promise<TerraformRunner> {
  const path = join(directory, 'terraform');
  const log = join(directory, 'log');
  const begin = `echo "begin $TF_PLUGIN_CACHE_DIR $TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE" >> ${log}`;
  await writeFile(path, `#!/bin/sh\n${begin}\nsleep 0.3\necho end >> ${log}\n`);
  await chmod(path, 0o755);
  return new TerraformRunner({ binary: { path, version: '1.9.0' }, directory, path: '/usr/bin:/bin' });
}

describe('the cache of plugins', () => {
  it('is used also by a first init, and by one at a time, whichever runner it is of', async () => {
    const runners = [await aRunner(), await aRunner(), await aRunner()];
    await Promise.all(
      runners.map(async (runner, index) =>
        (await runner.open(`uid-${index}`)).prepare(CONFIGURATION, { env: {}, redact: [] }),
      ),
    );

    const lines = (await readFile(join(directory, 'log'), 'utf8')).trim().split('\n');
    const begin = `begin ${join(directory, 'plugin-cache')} 1`;
    expect(lines).toEqual([begin, 'end', begin, 'end', begin, 'end']);
  });
});

describe('an installation that did not come to its end', () => {
  const finish = 'echo whole > "$at/provider"';
  const provider = (): Promise<string> => readFile(inCache(join(PACKAGE, 'provider')), 'utf8');

  beforeEach(async () => {
    await mkdir(inCache(WHOLE), { recursive: true });
  });

  it('leaves nothing of its own in the cache when it failed', async () => {
    await expect(prepare(await unpacking('exit 1'))).rejects.toMatchObject({ code: 'Unavailable' });

    expect(existsSync(inCache(PACKAGE))).toBe(false);
    expect(existsSync(inCache(WHOLE))).toBe(true);
    await prepare(await unpacking(finish));
    expect(await provider()).toBe('whole\n');
    expect(await readdir(directory)).not.toContain('plugin-cache.installing');
  });

  it('leaves nothing of its own in the cache when it was killed', async () => {
    await expect(prepare(await unpacking('kill -KILL $$'))).rejects.toMatchObject({
      details: { reason: 'TerraformKilled' },
    });

    expect(existsSync(inCache(PACKAGE))).toBe(false);
  });

  it('is removed before the next one when its service died as well, and not what was there before', async () => {
    await mkdir(inCache(PACKAGE), { recursive: true });
    await writeFile(join(directory, 'plugin-cache.installing'), JSON.stringify({ packages: [WHOLE] }));

    await prepare(await unpacking(finish));
    expect(await provider()).toBe('whole\n');
    expect(existsSync(inCache(WHOLE))).toBe(true);
    expect(existsSync(join(directory, 'log'))).toBe(false);
  });

  it('may come to its end also for a mere look', async () => {
    const asked = inCache('../asked');
    const runner = await unpacking(`until [ -e ${asked} ]; do sleep 0.1; done; ${finish}`, "trap '' INT TERM");
    const stop = new AbortController();
    const workspace = await runner.openToLook('uid-1');
    const prepared = workspace.prepare(CONFIGURATION, { ...quiet, signal: stop.signal });
    await eventually(() => existsSync(inCache(PACKAGE)));
    stop.abort();
    await writeFile(asked, '');

    await prepared;
    expect(await provider()).toBe('whole\n');
  });
});

describe('packages of the cache', () => {
  const DAY_MS = 86_400_000;
  const links = join('.terraform', 'providers');
  const inWorkspace = (name: string): string => join(directory, 'workspaces', 'uid-1', links, name);
  const link = `mkdir -p "${links}/$(dirname ${PACKAGE})"; ln -s "$TF_PLUGIN_CACHE_DIR/${PACKAGE}" "${links}/${PACKAGE}"`;

  const noteOf = (name: string): string => join(directory, 'plugin-cache.used', encodeURIComponent(name));
  const before = (days: number): Date => new Date(Date.now() - days * DAY_MS);

  async function lastUsed(name: string, days: number): Promise<void> {
    await mkdir(inCache(name), { recursive: true });
    await mkdir(join(noteOf(name), '..'), { recursive: true });
    await writeFile(noteOf(name), '');
    await utimes(noteOf(name), before(days), before(days));
  }

  it('go with an installation when nobody has used them for a week', async () => {
    const recent = WHOLE.replace('5.0.0', '5.1.0');
    await lastUsed(WHOLE, 8);
    await lastUsed(recent, 6);
    // Unpacked long ago, and wanted now.
    await lastUsed(PACKAGE, 30);

    await prepare(await unpacking('', link));
    expect([WHOLE, recent, PACKAGE].map((name) => existsSync(inCache(name)))).toEqual([false, true, true]);
    expect(await readdir(directory)).not.toContain('plugin-cache.installing');
    expect(existsSync(noteOf(WHOLE))).toBe(false);
  });

  it('go with one for which there is no room, too', async () => {
    await lastUsed(WHOLE, 8);
    const full = await unpacking('echo "write provider: no space left on device" >&2; exit 1');
    await expect(prepare(full)).rejects.toMatchObject({ details: { reason: 'DiskFull' } });
    expect(existsSync(inCache(WHOLE))).toBe(false);
  });

  it('stay with one that failed for another reason', async () => {
    await lastUsed(WHOLE, 8);
    await expect(prepare(await unpacking('exit 1'))).rejects.toMatchObject({ code: 'Unavailable' });
    expect(existsSync(inCache(WHOLE))).toBe(true);
  });

  it('count as used now where nobody has noted when they were', async () => {
    await mkdir(inCache(WHOLE), { recursive: true });
    await utimes(inCache(WHOLE), before(30), before(30));
    const runner = await unpacking('', link);
    await prepare(runner);
    expect(existsSync(inCache(WHOLE))).toBe(true);

    await utimes(noteOf(WHOLE), before(8), before(8));
    await rm(join(directory, 'workspaces'), { recursive: true });
    await prepare(runner);
    expect(existsSync(inCache(WHOLE))).toBe(false);
  });

  it('stay as links to a mirror that nobody may write, however old it is', async () => {
    const mirrored = join(directory, 'mirror', PACKAGE);
    await mkdir(mirrored, { recursive: true });
    await utimes(mirrored, before(30), before(30));
    await mkdir(join(inCache(PACKAGE), '..'), { recursive: true });
    await symlink(mirrored, inCache(PACKAGE));
    const runner = await unpacking('', link);

    expect(await prepare(runner)).toEqual({ initialised: true });
    expect(existsSync(inWorkspace(PACKAGE))).toBe(true);
    expect(await prepare(runner)).toEqual({ initialised: false });
    expect((await stat(mirrored)).mtimeMs).toBeLessThan(Date.now() - 29 * DAY_MS);
  });

  it('go also beside one that cannot be asked after, such as a link to nowhere', async () => {
    const dangling = 'a.example/hashicorp/aws/5.0.0/linux_amd64';
    await mkdir(join(inCache(dangling), '..'), { recursive: true });
    await symlink(join(directory, 'nowhere'), inCache(dangling));
    await lastUsed(WHOLE, 8);
    await prepare(await unpacking('', link));
    expect(existsSync(inCache(WHOLE))).toBe(false);
  });

  it('stay where an installation has just linked them, whatever is noted', async () => {
    await lastUsed(PACKAGE, 8);
    // Nothing can be noted there.
    await rm(noteOf(PACKAGE));
    await mkdir(noteOf(PACKAGE));
    await utimes(noteOf(PACKAGE), before(8), before(8));
    await prepare(await unpacking('', link));
    expect(existsSync(inCache(PACKAGE))).toBe(true);
  });

  it('count as used by whoever has them installed, and not by who has others since', async () => {
    await lastUsed(WHOLE, 8);
    await mkdir(join(inWorkspace(WHOLE), '..'), { recursive: true });
    await symlink(inCache(WHOLE), inWorkspace(WHOLE));
    const runner = await unpacking('', link);
    await prepare(runner);
    expect(existsSync(inCache(WHOLE))).toBe(false);

    await lastUsed(PACKAGE, 8);
    expect(await prepare(runner)).toEqual({ initialised: false });
    expect((await stat(noteOf(PACKAGE))).mtimeMs).toBeGreaterThan(Date.now() - DAY_MS);
  });

  it('are installed anew where they are gone', async () => {
    const runner = await unpacking('', link);
    await prepare(runner);
    await rm(inCache(PACKAGE), { recursive: true });

    expect(await prepare(runner)).toEqual({ initialised: true });
    expect(existsSync(inCache(PACKAGE))).toBe(true);
  });
});
