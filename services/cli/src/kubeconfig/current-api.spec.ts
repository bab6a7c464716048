import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toStatus, unauthenticated } from '@crate/errors';
import { parse, stringify } from 'yaml';
import { waitForAll } from '../objects/waiting.js';
import { FakeApi } from '../testing/fake-api.js';
import { DataDir } from '../up/data-dir.js';
import { currentApi } from './current-api.js';

/** Prints t1, then t2 and so on. */
const PLUGIN = `#!/bin/sh
n=$(($(cat "$COUNT" 2>/dev/null || echo 0) + 1))
echo $n > "$COUNT"
if [ "$n" = "$AWAY" ]; then echo 'crate: The issuer does not answer' >&2; exit "$CODE"; fi
echo '{"status":{"token":"t'$n'"'$END'}}'
`;
const OVER = ',"expirationTimestamp":"2026-01-01T00:00:00Z"';

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

describe('currentApi', () => {
  it('asks the plugin anew once its token is refused, so that a wait outlives it', async () => {
    const client = await currentApi({ kubeconfigs: [await kubeconfigWithPlugin()] });
    const holds = (): boolean => true;
    const awaited = { name: 'cluster/demo', path: '/x', holds, mayBeAbsent: false, done: 'cluster/demo is Ready' };
    await waitForAll(client, [awaited], { timeoutMs: 5_000, late: 'is not Ready' });
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
    const waiting = waitForAll(client, [awaited], { timeoutMs: 5_000, late: 'is not Ready' });
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
