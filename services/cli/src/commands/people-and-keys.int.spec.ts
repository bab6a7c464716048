import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually, freePort, OIDC_CLIENT, OidcTestProvider, SignInAgent } from '@crate/testing';
import { stringify } from 'yaml';
import { ApiClient } from '../client/api-client.js';
import { crate, RunningCrate, type Ended } from '../testing/crate.js';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import type { DataDir } from '../up/data-dir.js';

jest.setTimeout(240_000);

const KEYS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/apikeys';

let dir: DataDir;
let provider: OidcTestProvider;
let url: string;
let ca: string;

// One platform with one service, as a person starts it who tries out the company's issuer.
beforeAll(async () => {
  [dir, provider] = await Promise.all([temporaryDataDir(), OidcTestProvider.start()]);
  provider.groups.set('nora', ['team-a']);
  const issuer = { issuer: provider.issuer, caFile: provider.caFile, audiences: [OIDC_CLIENT] };
  const issuers = [{ name: 'corporate', ...issuer, login: { clientId: OIDC_CLIENT } }];
  const issuersFile = join(dir.root, 'issuers.yaml');
  await writeFile(issuersFile, stringify({ issuers }));
  const port = String(await freePort());
  url = `https://127.0.0.1:${port}`;
  const flags = ['--only', 'lifecycle', '--no-example', '--detach', '--port', port, '--issuers-file', issuersFile];
  expect(await crate(['up', '--data-dir', dir.root, ...flags])).toMatchObject({ code: 0, stderr: '' });
  ca = await readFile(join(dir.certificates(), 'ca.crt'), 'utf8');
  const admin = await ApiClient.fromKubeconfig(dir.adminKubeconfig());
  await admin.create('/apis/lifecycle.crate.dev/v1alpha1/projects', {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'Project',
    metadata: { name: 'team-a' },
    spec: { members: [{ kind: 'Group', name: 'team-a', role: 'admin' }] },
  });
});
afterAll(async () => {
  await crate(['down', '--data-dir', dir.root]);
  await Promise.all([removeDataDir(dir), provider.stop()]);
});

/** A command as somebody made up. */
async function as(user: string, groups: readonly string[], ...command: readonly string[]): Promise<Ended> {
  const membership = groups.flatMap((group) => ['--group', group]);
  const { stdout } = await crate(['kubeconfig', '--user', user, ...membership, '--data-dir', dir.root]);
  const file = join(dir.root, `${user}.kubeconfig`);
  await writeFile(file, stdout, { mode: 0o600 });
  return crate([...command, '--kubeconfig', file]);
}

async function statusOf(token: string): Promise<string> {
  return new ApiClient({ server: url, ca, token }).get(KEYS.replace('apikeys', 'clusters')).then(
    () => 'let in',
    (error: { code: string }) => error.code,
  );
}

describe('on a local platform', () => {
  it('one can be anybody', async () => {
    const { stdout } = await as('vera', ['team-a', 'team-b'], 'whoami', '-o', 'json');
    expect(JSON.parse(stdout)).toEqual({ username: 'vera', groups: ['team-a', 'team-b', 'system:authenticated'] });
  });

  it('nobody can be the platform', async () => {
    const given = await crate(['kubeconfig', '--user', 'system:lifecycle', '--data-dir', dir.root]);
    expect(given).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining("platform's own") });
  });

  it('people of an issuer sign in beside those', async () => {
    const env = { ...process.env, KUBECONFIG: join(dir.root, 'nora.kubeconfig'), XDG_CONFIG_HOME: dir.root };
    const caFile = join(dir.certificates(), 'ca.crt');
    const login = RunningCrate.start(['login', '--server', url, '--ca-file', caFile, '--no-browser'], env);
    await eventually(() => expect(login.stdout).toMatch(/Sign in at \S+\n/));
    const page = /Sign in at (\S+)/.exec(login.stdout)?.[1] ?? '';
    await fetch(await new SignInAgent(provider.ca, 'nora').signIn(page));
    expect(await login.ended).toBe(0);
    expect((await crate(['keys', 'list', '-n', 'team-a'], env)).code).toBe(0);
    expect((await crate(['whoami'], env)).stdout.split('\n')[0]).toBe('nora');
  });

  it('keys are made, listed, replaced and revoked', async () => {
    const keys = (...command: string[]): Promise<Ended> => as('vera', ['team-a'], 'keys', ...command, '-n', 'team-a');
    const made = await keys('create', 'ci', '--role', 'viewer', '--lifetime', '1h', '--verbs', 'get,list');
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^crate_\w{65}\n$/) });
    const first = made.stdout.trim();
    expect(await statusOf(first)).toBe('let in');

    const second = (await keys('issue', 'ci')).stdout.trim();
    await eventually(async () => expect(await statusOf(first)).toBe('Unauthenticated'));
    expect(await statusOf(second)).toBe('let in');
    await eventually(async () => {
      const { stdout } = await keys('list');
      expect(stdout).toMatch(/ci +viewer +Issued +20\S+Z +20\S+Z +vera/);
    });

    expect((await keys('revoke', 'ci', '--disable')).stdout).toContain('disabled');
    await eventually(async () => expect(await statusOf(second)).toBe('Unauthenticated'));
    expect((await keys('issue', 'ci')).stderr).toContain('spec.disabled');
    expect((await keys('revoke', 'ci')).stdout).toContain('gone');
    expect(await keys('revoke', 'ci')).toMatchObject({ code: 3, stderr: expect.stringContaining('has no key "ci"') });
  });

  it('who is no member gets no key', async () => {
    const given = await as('zoe', ['team-b'], 'keys', 'create', 'mine', '-n', 'team-a', '--role', 'viewer');
    expect(given).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining('forbidden') });
  });
});
