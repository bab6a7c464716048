import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TIMEOUT_MS = 120_000;
/** Prints what a program loads, however it ends. */
const HOOK = `
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
const urls = [];
registerHooks({ load(url, context, next) { urls.push(url); return next(url, context); } });
process.on('exit', () => writeFileSync(process.env.LOADED_MODULES_FILE, JSON.stringify(urls)));
`;

interface Contents {
  readonly builds: readonly string[];
  readonly packages: readonly string[];
  readonly places: readonly string[];
}

/** Files below are those that a start may load: a few parts, what stays outside, and what Node has itself. */
const PROGRAMS = [
  { main: 'services/lifecycle/dist/main.js', bundle: 'service.js', says: 'CRATE_DATABASE_URL: is required', most: 450 },
  {
    main: 'services/cloud-mgmt/dist/main.js',
    bundle: 'service.js',
    says: 'CRATE_DATABASE_URL: is required',
    most: 450,
  },
  {
    main: 'services/cluster-mgmt/dist/main.js',
    bundle: 'service.js',
    says: 'CRATE_DATABASE_URL: is required',
    most: 450,
  },
  {
    main: 'services/policy-mgmt/dist/main.js',
    bundle: 'service.js',
    says: 'CRATE_DATABASE_URL: is required',
    most: 450,
  },
  { main: 'libs/sandbox/dist/main.js', bundle: 'sandbox.js', says: 'CRATE_SANDBOX_DATA_DIR', most: 450 },
  { main: 'libs/sandbox/dist/rke/main.js', bundle: 'rke.js', args: ['--version'], says: 'rke version', most: 100 },
  { main: 'services/cli/dist/main.js', bundle: 'cli.js', args: ['--help'], says: 'Usage: crate', most: 100 },
  { main: 'services/cli/dist/installation/main.js', bundle: 'installation.js', says: 'CRATE_', most: 450 },
];

/** What is not part of a bundle: see tools/bundle/programs.mjs. */
const OUTSIDE = [
  ...['@cdktn/provider-aws', 'cdktn', 'constructs', 'safe-stable-stringify', 'semver'],
  ...['@prisma/adapter-pg', '@prisma/client', 'pg'],
  ...['long', 'protobufjs'],
].sort();

const directoryOf = (main: string): string => join(ROOT, main.replace(/\/dist\/.*/, '/dist/bundle'));
const contentsOf = async (main: string): Promise<Contents> =>
  JSON.parse(await readFile(join(directoryOf(main), 'contents.json'), 'utf8')) as Contents;

/** Runs a program without any setting, so that it ends after it loaded all that it runs. */
async function start(main: string, args: readonly string[]): Promise<{ loaded: readonly string[]; said: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'crate-bundles-'));
  try {
    const file = join(directory, 'loaded.json');
    const NODE_OPTIONS = `--import=data:text/javascript;base64,${Buffer.from(HOOK).toString('base64')}`;
    const options = { env: { NODE_OPTIONS, LOADED_MODULES_FILE: file }, timeout: TIMEOUT_MS };
    const said = await new Promise<string>((resolve) => {
      execFile(process.execPath, ['--enable-source-maps', join(ROOT, main), ...args], options, (_, stdout, stderr) =>
        resolve(stdout + stderr),
      );
    });
    return { loaded: JSON.parse(await readFile(file, 'utf8')) as string[], said };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

describe.each(PROGRAMS)('$main', ({ main, bundle, args = [], says, most }) => {
  it('runs from its bundle', async () => {
    const { loaded, said } = await start(main, args);
    expect(said).toContain(says);
    expect(loaded).toContain(pathToFileURL(join(directoryOf(main), bundle)).href);
    const files = loaded.filter((url) => url.startsWith('file:'));
    expect(files.length).toBeLessThan(most);
    // Nothing of ours is there twice.
    const modules = files.filter((url) => /\/(libs|services|infra)\/[^/]+\/dist\/(?!bundle\/)/.test(url));
    expect(modules.filter((url) => !/\/(main|load-program|load-cli)\.js$/.test(url))).toEqual([]);
  });

  it('finds what its modules look for beside themselves', async () => {
    const { builds, places } = await contentsOf(main);
    expect(places.length).toBeGreaterThan(0);
    expect([...places, ...builds].filter((path) => !existsSync(join(directoryOf(main), path)))).toEqual([]);
  });
});

it('only packages that cannot be in a bundle stay outside, and all that they need', async () => {
  const outside = await Promise.all(PROGRAMS.map(async ({ main }) => (await contentsOf(main)).packages));
  expect([...new Set(outside.flat())].sort()).toEqual(OUTSIDE);
});
