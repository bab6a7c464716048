import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toStatus, unauthenticated } from '@crate/errors';
import { createAuthority } from '@crate/sandbox';
import { parse, stringify } from 'yaml';
import { waitForAll } from '../objects/waiting.js';
import { FakeApi } from '../testing/fake-api.js';
import { DataDir } from '../up/data-dir.js';
import { currentApi, currentContext } from './current-api.js';

/** Prints t1, then t2 and so on. */
const PLUGIN = `#!/bin/sh
n=$(($(cat "$COUNT" 2>/dev/null || echo 0) + 1))
echo $n > "$COUNT"
if [ "$n" = "$AWAY" ]; then echo 'crate: The issuer does not answer' >&2; exit "$CODE"; fi
echo '{"status":{"token":"t'$n'"'$END'}}'
`;
const OVER = ',"expirationTimestamp":"2026-01-01T00:00:00Z"';

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
}

let api: FakeApi;
/** The only token that is taken. */
let taken: string;
let asked: string[];

beforeEach(async () => {
  [taken, asked] = ['t2', []];
  api = await FakeApi.start((_method, _path, _body, { authorization = '' }) => {
    asked.push(authorization.replace('Bearer ', ''));
    if (authorization === `Bearer ${taken}`) return { body: { metadata: { name: 'demo' } } };
    return { body: toStatus(unauthenticated('The token has expired')), status: 401 };
  });
});
afterEach(async () => api.stop());

describe('several kubeconfigs', () => {
  it('are one: the first that names a current context, and the first that has each entry, wins', async () => {
    const own = parse(await readFile(new DataDir(api.dataDir).adminKubeconfig(), 'utf8')) as Kubeconfig;
    const { server, 'certificate-authority-data': ca = '' } = own.clusters[0]?.cluster ?? {};
    await mkdir(join(api.dataDir, 'third'));
    await writeFile(join(api.dataDir, 'third', 'ca.pem'), Buffer.from(ca, 'base64'));
    const elsewhere = { server: 'https://elsewhere.invalid' };
    const files = await Promise.all([
      // What `kubectl config use-context prod` leaves in the first.
      kubeconfig('first', { 'current-context': 'prod', users: [{ name: 'ada', user: { token: 't2' } }] }),
      kubeconfig('second', {
        'current-context': 'test',
        clusters: [{ name: 'test', cluster: elsewhere }],
        users: [{ name: 'ada', user: { token: 't1' } }],
        contexts: [{ name: 'test', context: { cluster: 'test', user: 'ada' } }],
      }),
      kubeconfig(join('third', 'config'), {
        clusters: [
          { name: 'prod', cluster: { server, 'certificate-authority': 'ca.pem' } },
          { name: 'test', cluster: { server } },
        ],
        contexts: [{ name: 'prod', context: { cluster: 'prod', user: 'ada', namespace: 'team-a' } }],
      }),
    ]);
    const kubeconfigs = [join(api.dataDir, 'none'), ...files];

    const current = await currentContext({ kubeconfigs });
    expect(current).toMatchObject({ context: 'prod', namespace: 'team-a', file: files[2], token: 't2' });
    await current.api.find('/x');
    expect(asked).toEqual(['t2']);
    expect((await currentApi({ kubeconfigs, context: 'test' })).server).toBe(elsewhere.server);
  });

  it.each([
    { contexts: [], want: 'No kubeconfig has the context "prod"' },
    { contexts: [{ name: 'prod', context: {} }], want: 'the cluster "" of the context "prod"' },
    { contexts: [{ name: 'prod', context: { cluster: 'a', user: 'eve' } }], want: 'the user "eve" of the context' },
  ])('say what none of them has: $want', async ({ contexts, want }) => {
    const clusters = [{ name: 'a', cluster: { server: 'https://elsewhere.invalid' } }];
    const path = await kubeconfig('only', { 'current-context': 'prod', clusters, contexts });
    await expect(currentApi({ kubeconfigs: [path] })).rejects.toThrow(want);
  });
});

it('says where a kubeconfig has an alias of nothing', async () => {
  const path = join(api.dataDir, 'alias');
  await writeFile(path, 'users:\n  - name: ada\n    user: { token: *t }\n');
  await expect(currentApi({ kubeconfigs: [path] })).rejects.toMatchObject({
    code: 'BadRequest',
    message: expect.stringContaining(`${path} is no kubeconfig: *t is no text at line 3, column 20`),
  });
});

describe('currentApi', () => {
  it('asks the plugin anew once its token is refused, so that a wait outlives it', async () => {
    const client = await currentApi({ kubeconfigs: [await kubeconfigWithPlugin()] });
    const holds = (): boolean => true;
    const awaited = { name: 'cluster/demo', path: '/x', holds, mayBeAbsent: false, done: 'cluster/demo is Ready' };
    await waitForAll(client, [awaited], { timeoutMs: 60_000, late: 'is not Ready' });
    expect(asked).toEqual(['t1', 't2']);
    for await (const _ of client.lines('/logs'));
    expect(asked).toEqual(['t1', 't2', 't2']);
  });

  it('opens a stream with another token where the first is refused', async () => {
    const client = await currentApi({ kubeconfigs: [await kubeconfigWithPlugin()] });
    for await (const _ of client.lines('/logs'));
    expect(asked).toEqual(['t1', 't2']);
  });

  it.each([
    { how: 'rides over an issuer that is away', code: '7', ends: undefined },
    { how: 'ends where the plugin says that nobody is signed in', code: '5', ends: { code: 'Unauthenticated' } },
  ])('$how', async ({ code, ends }) => {
    taken = 't3';
    const client = await currentApi({ kubeconfigs: [await kubeconfigWithPlugin(OVER, { AWAY: '2', CODE: code })] });
    const awaited = { name: 'cluster/demo', path: '/x', holds: () => true, mayBeAbsent: false, done: 'Ready' };
    const waiting = waitForAll(client, [awaited], { timeoutMs: 60_000, late: 'is not Ready' });
    await (ends ? expect(waiting).rejects.toMatchObject(ends) : waiting);
    expect(asked).toEqual(ends ? [] : ['t3']);
  });

  it('does not send a token that has ended', async () => {
    const client = await currentApi({ kubeconfigs: [await kubeconfigWithPlugin(OVER)] });
    await client.find('/x');
    expect(asked).toEqual(['t2']);
  });

  it('reads a file of a token anew', async () => {
    const tokenFile = join(api.dataDir, 'token');
    await writeFile(tokenFile, 't1\n');
    const client = await currentApi({ kubeconfigs: [await kubeconfigOf({ tokenFile })] });
    await writeFile(tokenFile, 't2\n');
    await client.find('/x');
    expect(asked).toEqual(['t1', 't2']);
  });

  it.each([
    { reason: 'a token that never changes is not tried twice', user: { token: 't1' }, want: ['t1'] },
    { reason: 'a plugin is asked once more, and not for ever', user: undefined, want: ['t1', 't2'] },
  ])('says that the person has to sign in: $reason', async ({ user, want }) => {
    taken = 'none';
    const path = user ? await kubeconfigOf(user) : await kubeconfigWithPlugin();
    const client = await currentApi({ kubeconfigs: [path] });
    await expect(client.find('/x')).rejects.toMatchObject({ code: 'Unauthenticated' });
    expect(asked).toEqual(want);
  });
});

describe('an entry of a kubeconfig that cannot be used', () => {
  const inBase64 = (text: string): string => Buffer.from(text).toString('base64');

  it.each([
    {
      name: 'a certificate that is none',
      user: { 'client-certificate-data': inBase64('half'), 'client-key-data': inBase64('half') },
      want: /^The client certificate of the user "admin" in .* cannot be used: no start line$/,
    },
    {
      name: 'a plugin that is not there',
      user: { exec: { command: 'no-such-plugin' } },
      want: /^The credential plugin no-such-plugin is not installed, or not on the PATH$/,
    },
    {
      name: 'a token with another line in it',
      user: { token: 't2\nt3' },
      want: /^The token of the user "admin" in .* has characters that none has/,
    },
  ])('is told of by name: $name', async ({ user, want }) => {
    await expect(currentApi({ kubeconfigs: [await kubeconfigOf(user)] })).rejects.toMatchObject({
      code: 'BadRequest',
      message: expect.stringMatching(want) as unknown,
    });
  });

  it('is told of with what the provider of a plugin says of it', async () => {
    const exec = { command: 'no-such-plugin', installHint: 'Get it at https://plugins.example\n' };
    const remedy = 'Get it at https://plugins.example';
    await expect(currentApi({ kubeconfigs: [await kubeconfigOf({ exec })] })).rejects.toMatchObject({
      details: { remedy },
    });
  });

  it.each([
    { name: 'no JSON', prints: 'welcome', want: 'prints something other than a credential' },
    { name: 'a certificate alone', prints: '{"status":{"clientCertificateData":"x"}}', want: 'gives no token' },
    { name: 'nothing', prints: 'null', want: 'gives no token' },
  ])('is a plugin that gives $name', async ({ prints, want }) => {
    const exec = { command: 'echo', args: [prints] };
    await expect(currentApi({ kubeconfigs: [await kubeconfigOf({ exec })] })).rejects.toMatchObject({
      code: 'Unauthenticated',
      message: `echo ${want}`,
    });
  });

  it.each([
    { name: 'no certificate', data: async () => inBase64('half') },
    { name: 'a certificate in DER, which TLS passes over in silence', data: certificateInDer },
  ])('is an authority that is $name', async ({ data }) => {
    const cluster = { server: api.dataDir, 'certificate-authority-data': await data() };
    const clusters = [{ name: 'a', cluster }];
    const users = [{ name: 'ada', user: { token: 't2' } }];
    const contexts = [{ name: 'a', context: { cluster: 'a', user: 'ada' } }];
    const path = await kubeconfig('authority', { 'current-context': 'a', clusters, users, contexts });
    await expect(currentApi({ kubeconfigs: [path] })).rejects.toMatchObject({
      code: 'BadRequest',
      message: expect.stringContaining(`The certificate authority of the cluster "a" in ${path} cannot be used`),
    });
  });

  it('is none where kubectl has written the lists of a plugin that has none', async () => {
    const command = join(api.dataDir, 'bare-plugin');
    await writeFile(command, `#!/bin/sh\necho '{"status":{"token":"t2"}}'\n`);
    await chmod(command, 0o700);
    const exec = { command, args: null, env: null };
    const client = await currentApi({ kubeconfigs: [await kubeconfigOf({ exec })] });
    await client.find('/x');
    expect(asked).toEqual(['t2']);
  });

  it('is none where a token only ends with a line', async () => {
    const client = await currentApi({ kubeconfigs: [await kubeconfigOf({ token: 't2\n' })] });
    await client.find('/x');
    expect(asked).toEqual(['t2']);
  });
});

async function kubeconfig(name: string, config: object): Promise<string> {
  const path = join(api.dataDir, name);
  await writeFile(path, stringify(config));
  return path;
}

async function certificateInDer(): Promise<string> {
  const { certificate } = await createAuthority('A CA');
  return new X509Certificate(certificate).raw.toString('base64');
}

/** Its user is known by the plugin, whose tokens end as `end` says. */
async function kubeconfigWithPlugin(end = '', more: Readonly<Record<string, string>> = {}): Promise<string> {
  const command = join(api.dataDir, 'plugin');
  await writeFile(command, PLUGIN);
  await chmod(command, 0o700);
  const env = [
    { name: 'COUNT', value: join(api.dataDir, 'count') },
    { name: 'END', value: end },
    ...Object.entries(more).map(([name, value]) => ({ name, value })),
  ];
  return kubeconfigOf({ exec: { command, env } });
}

async function kubeconfigOf(user: object): Promise<string> {
  const path = new DataDir(api.dataDir).adminKubeconfig();
  const config = parse(await readFile(path, 'utf8')) as object;
  await writeFile(path, stringify({ ...config, users: [{ name: 'admin', user }] }));
  return path;
}
