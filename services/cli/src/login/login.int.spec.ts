import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, OidcTestProvider, SignInAgent } from '@crate/testing';
import { parse } from 'yaml';
import { crate, RunningCrate, type Ended } from '../testing/crate.js';
import { SignedInApi } from '../testing/signed-in-api.js';

const run = promisify(execFile);

let provider: OidcTestProvider;
let api: SignedInApi;
let home: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  provider = await OidcTestProvider.start();
  provider.groups.set('vera', ['team-a']);
  api = await SignedInApi.start(provider);
});
afterAll(async () => {
  await api.stop();
  await provider.stop();
});
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'crate-home-'));
  env = { ...process.env, HOME: home, KUBECONFIG: join(home, 'kubeconfig'), XDG_CONFIG_HOME: join(home, 'config') };
  provider.idTokenSeconds = 600;
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

async function login(kind: 'browser' | 'device', ...more: readonly string[]): Promise<number> {
  const how = kind === 'device' ? '--device' : '--no-browser';
  const running = RunningCrate.start(['login', '--server', api.url, '--ca-file', api.caFile, how, ...more], env);
  const person = new SignInAgent(provider.ca, 'vera');
  await eventually(() => expect(running.stdout).toMatch(/https:\S+\n/));
  if (kind === 'device') {
    const [, url = '', code = ''] = /Open (\S+) and enter the code (\S+)/.exec(running.stdout) ?? [];
    await person.signIn(url, code);
  } else {
    const back = await person.signIn(/Sign in at (\S+)/.exec(running.stdout)?.[1] ?? '');
    expect(await (await fetch(back)).text()).toContain('close this window');
  }
  return running.ended;
}

async function kubectl(...args: readonly string[]): Promise<string> {
  return (await run('kubectl', [...args], { env })).stdout;
}

async function userInfo(): Promise<unknown> {
  return JSON.parse((await crate(['whoami', '-o', 'json'], env)).stdout);
}

async function credentialFile(): Promise<string> {
  const directory = join(home, 'config', 'crate', 'credentials');
  const [name = ''] = (await readdir(directory)).filter((file) => file.endsWith('.json'));
  return join(directory, name);
}

async function keepOf<T>(
  change: (credential: { tokens: { refreshToken: string; expiresAt: number } }) => T,
): Promise<T> {
  const path = await credentialFile();
  const credential = JSON.parse(await readFile(path, 'utf8')) as Parameters<typeof change>[0];
  const result = change(credential);
  await writeFile(path, JSON.stringify(credential));
  return result;
}

describe.each(['browser', 'device'] as const)('signing in with the %s flow', (kind) => {
  it('lets kubectl in, as the person', async () => {
    expect(await login(kind)).toBe(0);
    expect(await userInfo()).toMatchObject({ username: 'vera', groups: ['team-a', 'system:authenticated'] });
    expect(JSON.parse(await kubectl('auth', 'whoami', '-o', 'json'))).toMatchObject({
      status: { userInfo: { username: 'vera' } },
    });
  });
});

describe('a sign-in', () => {
  it('is kept where only its owner can read it, and no token is in the kubeconfig', async () => {
    await login('browser');
    const path = await credentialFile();
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600');
    expect(((await stat(join(home, 'kubeconfig'))).mode & 0o777).toString(8)).toBe('600');
    const token = await keepOf(({ tokens }) => tokens.refreshToken);
    const kubeconfig = await readFile(join(home, 'kubeconfig'), 'utf8');
    expect(token.length).toBeGreaterThan(20);
    expect(kubeconfig).not.toContain(token);
    expect(kubeconfig).not.toMatch(/eyJ[\w-]+\.[\w-]+\.[\w-]+/);
  });

  it('leaves what else is in the kubeconfig as it is, and says which context is its own', async () => {
    const before = [
      'apiVersion: v1',
      'kind: Config',
      '# mine',
      'clusters: [{ name: other, cluster: { server: "https://other" } }]',
      'users: [{ name: other, user: { token: t } }]',
      'contexts: [{ name: other, context: { cluster: other, user: other } }]',
      'current-context: other',
    ];
    await writeFile(join(home, 'kubeconfig'), before.join('\n'));
    await login('browser', '--context', 'work');
    const text = await readFile(join(home, 'kubeconfig'), 'utf8');
    const config = parse(text) as Record<string, readonly { name: string }[]>;
    expect(text).toContain('# mine');
    expect(config['contexts']?.map(({ name }) => name)).toEqual(['other', 'work']);
    expect(config).toMatchObject({ 'current-context': 'work', users: [{ user: { token: 't' } }, { name: 'work' }] });
    await login('browser', '--context', 'work');
    expect(await readFile(join(home, 'kubeconfig'), 'utf8')).toBe(text);
  });

  it('lasts: tokens are refreshed silently, also by many programs at once', async () => {
    // Shorter than what has to be left of a token: every use refreshes it.
    provider.idTokenSeconds = 30;
    await login('browser');
    const before = await keepOf(({ tokens }) => tokens.refreshToken);
    const raw = Array.from({ length: 6 }, () => kubectl('get', '--raw', '/version'));
    expect((await Promise.all(raw)).every((text) => text.includes('v1.31.4'))).toBe(true);
    const names = await Promise.all(Array.from({ length: 6 }, () => userInfo()));
    expect(names).toEqual(names.map(() => expect.objectContaining({ username: 'vera' })));
    expect(await keepOf(({ tokens }) => tokens.refreshToken)).not.toBe(before);
    // Fourteen processes, twelve of which take turns.
  });

  it('that the issuer took back ends with a word on how to go on', async () => {
    await login('browser');
    await keepOf(({ tokens }) => Object.assign(tokens, { expiresAt: 0, refreshToken: 'nonsense' }));
    const { code, stderr } = await crate(['whoami'], env);
    expect(code).toBe(5);
    expect(stderr).toContain(`run: crate login --server ${api.url} --context crate`);
    await expect(kubectl('get', '--raw', '/api')).rejects.toMatchObject({
      stderr: expect.stringContaining('crate login --server'),
    });
  });

  it('survives an issuer that is away, while the token is good', async () => {
    // Less than what has to be left of a token, and enough to be used.
    provider.idTokenSeconds = 55;
    await login('browser');
    await provider.pause();
    try {
      expect(await userInfo()).toMatchObject({ username: 'vera' });
      await keepOf(({ tokens }) => Object.assign(tokens, { expiresAt: 0 }));
      expect((await crate(['whoami'], env)).stderr).toContain(`Cannot sign in at ${provider.issuer}`);
    } finally {
      await provider.resume();
    }
  });

  it('ends with logout, at the issuer too', async () => {
    await login('browser');
    const file = await credentialFile();
    const credential = JSON.parse(await readFile(file, 'utf8')) as { tokens: object };
    expect(await crate(['logout'], env)).toMatchObject({ code: 0, stderr: '' });
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(parse(await readFile(join(home, 'kubeconfig'), 'utf8'))).toMatchObject({
      ...{ users: [], contexts: [], clusters: [], 'current-context': '' },
    });
    expect((await crate(['whoami'], env)).stderr).toContain('sign in with: crate login');
    // Even who copied the file has nothing of it.
    await writeFile(file, JSON.stringify({ ...credential, tokens: { ...credential.tokens, expiresAt: 0 } }));
    const id = file.split('/').at(-1)?.replace('.json', '') ?? '';
    expect(await crate(['credential', id], env)).toMatchObject({ code: 5, stdout: '' });
  });
});

describe('what cannot work is said at once:', () => {
  const to = async (...args: readonly string[]): Promise<Ended> => crate(['login', ...args], env);

  it.each([
    { name: 'no server', args: () => [], want: 2, text: "required option '--server" },
    { name: 'a server that is away', args: () => ['--server', 'https://127.0.0.1:1'], want: 7, text: 'Cannot reach' },
    { name: 'a server of an unknown authority', args: () => ['--server', api.url], want: 7, text: 'Cannot reach' },
    {
      name: 'an unknown issuer',
      args: () => ['--server', api.url, '--ca-file', api.caFile, '--issuer', 'nope'],
      want: 2,
      text: 'known: corporate',
    },
  ])('$name', async ({ args, want, text }) => {
    const { code, stderr } = await to(...args());
    expect([code, stderr]).toEqual([want, expect.stringContaining(text)]);
  });

  it('a sign-in that is not ours is not signed out', async () => {
    await writeFile(join(home, 'kubeconfig'), 'users: [{ name: crate, user: { token: t } }]');
    expect((await crate(['logout'], env)).stderr).toContain('has no sign-in "crate"');
  });
});
