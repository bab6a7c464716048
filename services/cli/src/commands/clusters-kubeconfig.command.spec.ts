import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createAuthority, issueClientCertificate } from '@crate/auth';
import { parse, stringify } from 'yaml';
import { certificateEnd } from '../kubeconfig/certificate-end.js';
import { FakeApi } from '../testing/fake-api.js';
import { directoryWith } from '../testing/files-of.js';
import { outputOf, type Written } from '../testing/output-of.js';
import { CLUSTERS } from '../testing/served.js';
import { renderKubeconfig } from '../up/kubeconfig.js';
import { clustersCommand } from './clusters.command.js';

const PATH = `${CLUSTERS}/demo/kubeconfig`;
const KUBECONFIG = renderKubeconfig({ server: 'https://demo', ca: 'ca', token: 'secret', user: 'crate' });
const CERTIFICATE = { 'client-certificate-data': 'YQ==', 'client-key-data': 'YQ==' };

let api: FakeApi;
let kubeconfig: string;
/** The queries that a kubeconfig was asked for with. */
let asked: string[];

beforeEach(async () => {
  [asked, kubeconfig] = [[], KUBECONFIG];
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  api = await FakeApi.start((_method, path) => {
    if (path.split('?')[0] !== PATH) return undefined;
    asked.push(path.slice(PATH.length));
    return { type: 'application/yaml', body: Buffer.from(kubeconfig) };
  });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await api.stop();
});

async function run(...args: string[]): Promise<Written> {
  return outputOf(clustersCommand(), [...args, '-n', 'team-a', '--data-dir', api.dataDir]);
}

describe('crate clusters kubeconfig', () => {
  it('prints it, or writes it for its owner alone', async () => {
    expect((await run('kubeconfig', 'demo')).stdout).toBe(KUBECONFIG);
    const { path, remove } = await directoryWith({});
    const file = join(path, 'demo.kubeconfig');
    await run('kubeconfig', 'demo', '-O', file);
    expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual([KUBECONFIG, 0o600]);
    await remove();
  });

  it('ends when it is asked to, or when the platform says', async () => {
    await run('kubeconfig', 'demo');
    await run('kubeconfig', 'demo', '--expires', '8h');
    await run('kubeconfig', 'demo', '--expires', '365d');
    expect(asked).toEqual(['', '?expirationSeconds=28800', '?expirationSeconds=31536000']);
  });

  it.each(['5m', '9', '366d', 'soon'])('is not asked for where it cannot be good for %s', async (lifetime) => {
    await expect(run('kubeconfig', 'demo', '--expires', lifetime)).rejects.toMatchObject({
      code: 'commander.invalidArgument',
      message: expect.stringMatching(/--expires <duration>.*(Expected 10m to 365d|Give a duration)/),
    });
    expect(asked).toEqual([]);
  });

  it('says until when it is good', async () => {
    kubeconfig = await endingIn(8 * 3_600_000);
    const { path, remove } = await directoryWith({});
    const { stdout, stderr } = await run('kubeconfig', 'demo', '--expires', '8h', '-O', join(path, 'demo.kubeconfig'));
    await remove();
    expect(stdout).toContain(`; good until ${endOf(kubeconfig)}; use it with: kubectl --kubeconfig`);
    expect(stderr).toBe('');
    expect((await mergedInto({})).stdout).toContain(
      `; good until ${endOf(kubeconfig)}; use it with: kubectl --context`,
    );
  });

  it('is not taken from a platform that gives it for longer than was asked', async () => {
    kubeconfig = await endingIn(10 * 365 * 86_400_000);
    const { path, remove } = await directoryWith({});
    const file = join(path, 'demo.kubeconfig');
    const refused = { code: 'Conflict', message: expect.stringContaining(endOf(kubeconfig)) };
    await expect(run('kubeconfig', 'demo', '--expires', '8h', '-O', file)).rejects.toMatchObject(refused);
    await expect(run('kubeconfig', 'demo', '--expires', '8h')).rejects.toMatchObject(refused);
    expect(await readdir(path)).toEqual([]);
    await remove();
  });

  it('warns where it ends sooner than it was asked to', async () => {
    kubeconfig = await endingIn(86_400_000);
    const { stdout, stderr } = await run('kubeconfig', 'demo', '--expires', '365d');
    expect([stdout, stderr]).toEqual([
      kubeconfig,
      expect.stringContaining(`sooner than asked for: ${endOf(kubeconfig)}`),
    ]);
  });

  it('is not what somebody between gives for it: nothing is written', async () => {
    kubeconfig = '<!doctype html><title>Sign in</title>';
    const { path, remove } = await directoryWith({});
    const refusal = { code: 'Unavailable', message: expect.stringContaining('no answer of the API') };
    await expect(run('kubeconfig', 'demo', '-O', join(path, 'demo.kubeconfig'))).rejects.toMatchObject(refusal);
    expect(await readdir(path)).toEqual([]);
    await remove();
  });

  it('is added to the person’s own, whose current context stays', async () => {
    const { path, remove } = await directoryWith({ config: 'current-context: crate # mine\n' });
    const before = process.env['KUBECONFIG'];
    process.env['KUBECONFIG'] = join(path, 'config');
    const { stdout } = await run('kubeconfig', 'demo', '--merge');
    process.env['KUBECONFIG'] = before ?? '';
    const text = await readFile(join(path, 'config'), 'utf8');
    await remove();
    expect(stdout).toContain('kubectl --context team-a-demo get nodes');
    expect(text).toContain('current-context: crate # mine');
    expect(parse(text)).toMatchObject({
      users: [{ name: 'team-a-demo', user: { token: 'secret' } }],
      contexts: [{ name: 'team-a-demo', context: { cluster: 'team-a-demo', user: 'team-a-demo' } }],
    });
  });

  it('is added over what an earlier one wrote, also for a cluster made anew, at another server', async () => {
    const file = await mergedInto({});
    expect(parse(file.text)).toMatchObject({ clusters: [{ cluster: { server: 'https://demo' } }] });
    expect(file.stdout).toContain('Added context team-a-demo, in place of the one to https://former, to ');
  });

  it('leaves what the person wrote into the context, and nothing of whom the former server was trusted by', async () => {
    const name = 'team-a-demo';
    const cluster = { 'proxy-url': 'socks5://localhost:1080', 'insecure-skip-tls-verify': true };
    const context = { cluster: name, user: name, namespace: 'shop' };
    const { text } = await mergedInto({ context, cluster: { ...cluster, server: 'https://demo' } });
    expect(parse(text)).toMatchObject({
      clusters: [{ cluster: { server: 'https://demo', 'proxy-url': 'socks5://localhost:1080' } }],
      contexts: [{ context }],
    });
    expect(text).not.toContain('insecure');
    expect((await mergedInto({ cluster: { ...cluster, server: 'https://former' } })).text).not.toContain('proxy-url');
  });

  it.each([
    { whose: 'one of a plugin', user: { exec: { command: 'plugin' } } },
    { whose: 'one of a plugin with a certificate', user: { ...CERTIFICATE, exec: { command: 'plugin' } } },
    { whose: 'one with a token', user: { token: 't' } },
    { whose: 'one whose context leads elsewhere', context: { cluster: 'prod', user: 'team-a-demo' } },
  ])('is not added over what others wrote: $whose', async ({ whose: _, ...other }) => {
    await expect(mergedInto(other)).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringMatching(
        /delete-context team-a-demo; .*delete-cluster team-a-demo; .*delete-user team-a-demo/,
      ),
    });
  });
});

/** A kubeconfig as a cluster of Crate has it, whose certificate ends after this time. */
async function endingIn(milliseconds: number): Promise<string> {
  const notAfter = new Date(Math.floor((Date.now() + milliseconds) / 1000) * 1000);
  const subject = { commonName: 'ada', organization: 'admins', notBefore: new Date(), notAfter };
  const { certificate } = await issueClientCertificate(await createAuthority('kube-ca'), subject);
  const user = { 'client-certificate-data': Buffer.from(certificate).toString('base64') };
  return stringify({ ...(parse(KUBECONFIG) as object), users: [{ name: 'demo', user }] });
}

function endOf(text: string): string {
  return String(certificateEnd(text)?.toISOString());
}

/** Merges over entries that an earlier merge wrote, but for what is `other`. */
async function mergedInto(other: {
  user?: object;
  context?: object;
  cluster?: object;
}): Promise<{ stdout: string; text: string }> {
  const name = 'team-a-demo';
  const { user = CERTIFICATE, context = { cluster: name, user: name }, cluster = { server: 'https://former' } } = other;
  const clusters = [{ name, cluster }];
  const config = stringify({ clusters, users: [{ name, user }], contexts: [{ name, context }] });
  const { path, remove } = await directoryWith({ config });
  const before = process.env['KUBECONFIG'];
  process.env['KUBECONFIG'] = join(path, 'config');
  try {
    const { stdout } = await run('kubeconfig', 'demo', '--merge');
    return { stdout, text: await readFile(join(path, 'config'), 'utf8') };
  } finally {
    process.env['KUBECONFIG'] = before ?? '';
    await remove();
  }
}
