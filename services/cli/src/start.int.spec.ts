import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modulesLoadedBy } from './testing/loaded-modules.js';

/** What takes longer to load than any of these commands may take. */
const HEAVY = ['@nestjs', '@opentelemetry', 'fastify', 'openid-client', 'pg', 'protobufjs', 'rxjs', 'zod'];
const NOBODY = `
clusters: [{ name: c, cluster: { server: 'https://127.0.0.1:1' } }]
users: [{ name: u, user: { token: t } }]
contexts: [{ name: x, context: { cluster: c, user: u } }]
current-context: x
`;

let home: string;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'crate-start-'));
  env = { KUBECONFIG: join(home, 'kubeconfig'), XDG_CONFIG_HOME: home, CRATE_DATA_DIR: join(home, 'none') };
  await writeFile(join(home, 'kubeconfig'), NOBODY);
  await mkdir(join(home, 'crate', 'credentials'), { recursive: true });
  const tokens = { idToken: 'good', expiresAt: Date.now() + 3_600_000 };
  await writeFile(join(home, 'crate', 'credentials', 'me.json'), JSON.stringify({ tokens }));
});
afterAll(async () => rm(home, { recursive: true, force: true }));

describe('what people and shells run all day loads no more than it needs:', () => {
  it.each([
    { args: ['--help'], own: 'program.js' },
    { args: ['__complete', '--', 'get', 'clu'], own: 'completion/platform-names.js' },
    { args: ['get', 'clusters'], own: 'actions/get.action.js' },
    { args: ['wait', 'cluster/demo', '--for=delete'], own: 'actions/wait.action.js' },
    { args: ['status'], own: 'actions/status.action.js' },
    { args: ['credential', 'me'], own: 'actions/credential.action.js' },
    { args: ['sandbox', 'inventory'], own: 'actions/sandbox.action.js' },
  ])('$args', async ({ args, own }) => {
    const loaded = await modulesLoadedBy(args, env);
    // Without its own module it did not come far enough to show anything.
    expect(loaded).toContainEqual(expect.stringContaining(`/services/cli/dist/${own}`));
    expect(loaded.filter((url) => HEAVY.some((name) => url.includes(`/node_modules/${name}/`)))).toEqual([]);
  });

  it('a platform without an example starts before anything is loaded that only shows one', async () => {
    // It ends where the database is to be found, with all loaded that a start needs.
    const loaded = await modulesLoadedBy(['up', '--no-example', '--database-url-file', join(home, 'none')], env);
    expect(loaded).toContainEqual(expect.stringContaining('/services/cli/dist/up/platform.js'));
    const unneeded = ['/node_modules/@kubernetes/', '/node_modules/cli-progress/', '/libs/sandbox/dist/cloud/'];
    const heavy = HEAVY.filter((name) => !['pg', 'zod'].includes(name)).map((name) => `/node_modules/${name}/`);
    expect(loaded.filter((url) => [...unneeded, ...heavy].some((part) => url.includes(part)))).toEqual([]);
  });

  it('help loads the code of no command', async () => {
    const loaded = await modulesLoadedBy(['--help'], env);
    expect(loaded).toContainEqual(expect.stringContaining('/commands/get.command.js'));
    expect(loaded.filter((url) => url.includes('/services/cli/dist/actions/'))).toEqual([]);
  });
});
