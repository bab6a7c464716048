import { generateKeyPairSync } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiVersionOf, COMPONENT, COMPONENTS, type Component, type PlatformStatus } from '@crate/api';
import { NAMESPACE, RELEASE, whyNoHelm } from '@crate/helm-chart';
import { HttpTargetCluster } from '@crate/kubernetes';
import { eventually } from '@crate/testing';
import { stringify } from 'yaml';
import { makeRelease, ownVersion } from '../upgrades/release-tree.js';
import { BootstrapBench, VALUES } from './bootstrap-bench.js';

const PATIENT = { timeoutMs: 240_000 };
/** Of four services one after the other, the last of which has two pods. */
const UPGRADES = { timeoutMs: 480_000 };
const QUICK = { canarySoakSeconds: 1, soakSeconds: 0, progressDeadlineSeconds: 600 };
const NEXT = '0.2.0';
const CHECKOUT = fileURLToPath(new URL('../../..', import.meta.url));
const RELEASE_COMMAND = join(CHECKOUT, 'release/dist/main.js');
const reason = await whyNoHelm();
const suite = reason === undefined ? describe : describe.skip;

suite(`a platform that upgrades itself in its cluster${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  let bench: BootstrapBench;
  let published: string;
  let upgrades: readonly string[];
  beforeAll(async () => {
    // Not in /tmp, where a pod has a volume of its own.
    published = await mkdtemp('/var/tmp/crate-index-');
    bench = await BootstrapBench.start();
    // As many pods of lifecycle as the chart has by itself: another one has to be there that could take it back.
    const { replicas: _one, ...lifecycle } = VALUES.lifecycle;
    const values = { ...VALUES, lifecycle: { ...lifecycle, env: { CRATE_RELEASES_EVERY_MS: '1000' } } };
    await bench.write('values.yaml', stringify(values));
    upgrades = await publishIndex();
  });
  afterAll(async () => {
    await bench?.stop();
    await rm(published, { recursive: true, force: true });
  });

  /** The index as the command for releases issues it, and the arguments by which the platform knows it. */
  async function publishIndex(): Promise<readonly string[]> {
    const [index, key, publicKey] = ['index.json', 'release.key', 'release.pub'].map((name) =>
      join(published, name),
    ) as [string, string, string];
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await writeFile(key, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await writeFile(publicKey, pair.publicKey.export({ type: 'spki', format: 'pem' }));
    const from = ['--upgrade-from', await ownVersion(), '--downgrade-to', await ownVersion()];
    execFileSync(process.execPath, [RELEASE_COMMAND, 'index', index, '--key', key, '--version', NEXT, ...from]);
    return ['--releases-index', index, '--releases-public-key', publicKey, '--self-upgrade'];
  }

  /** What a registry has once the images of the release were pushed. */
  async function pushRelease(): Promise<void> {
    const root = await makeRelease(bench.file('versions'), NEXT);
    const images = JSON.parse(await readFile(bench.images, 'utf8')) as Record<string, object>;
    const pushed = Object.entries(images)
      .filter(([repository]) => repository.includes('/crate-'))
      .map(([repository, image]) => {
        const text = JSON.stringify(image).replaceAll(CHECKOUT, `${root}/`);
        return [`${repository}:${NEXT}`, JSON.parse(text) as object] as const;
      });
    expect(pushed).toHaveLength(COMPONENTS.length);
    await writeFile(bench.images, JSON.stringify({ ...images, ...Object.fromEntries(pushed) }), { mode: 0o600 });
  }

  const ask = async <T>(...args: readonly string[]): Promise<T> => {
    const { code, stdout, stderr } = await bench.run(...args, '--kubeconfig', bench.kubeconfig, '-o', 'json');
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return JSON.parse(stdout) as T;
  };

  it('is set up', async () => {
    const { code, stderr } = await bench.run(...bench.bootstrap, ...upgrades);
    expect({ code, stderr }).toMatchObject({ code: 0 });
  });

  const podOf = async (
    name: string,
  ): Promise<{ readonly uid: string; readonly image: string; readonly ip: string }> => {
    const cluster = new HttpTargetCluster(await readFile(join(bench.data, 'cluster.kubeconfig'), 'utf8'));
    const ref = { apiVersion: 'v1', kind: 'Pod', name: `${RELEASE}-${name}-0`, namespace: NAMESPACE };
    const { metadata, ...pod } = await cluster.get(ref);
    await cluster.close();
    const { containers } = pod['spec'] as { containers: { name: string; image: string }[] };
    const { podIP = '' } = pod['status'] as { podIP?: string };
    const image = containers.find((each) => each.name === name)?.image ?? '';
    return { uid: metadata.uid ?? '', image, ip: podIP };
  };

  /** Nothing stands before pods of a simulated cluster: the API is where its pod is, under the name of its Service. */
  const follow = async (): Promise<void> => {
    const { ip } = await podOf('lifecycle');
    const kubeconfig = await readFile(bench.kubeconfig, 'utf8');
    await writeFile(bench.kubeconfig, kubeconfig.replace(/(server: https:\/\/)[^:]+/, `$1${ip}`), { mode: 0o600 });
  };

  it('replaces each of its pods by the next version, that of lifecycle last, which does it all', async () => {
    await pushRelease();
    const before = await Promise.all(COMPONENTS.map(podOf));
    for (const name of COMPONENTS) {
      const wish = { apiVersion: apiVersionOf(COMPONENT), kind: COMPONENT.kind, metadata: { name } };
      await bench.write('wish.json', JSON.stringify({ ...wish, spec: { version: NEXT, strategy: QUICK } }));
      await eventually(async () => {
        const applied = await bench.run('apply', '-f', bench.file('wish.json'), '--kubeconfig', bench.kubeconfig);
        if (applied.code !== 0) throw new Error(applied.stderr + applied.stdout);
      }, PATIENT);
    }

    await eventually(async () => {
      await follow();
      const { items } = await ask<{ readonly items: readonly Component[] }>('get', 'components');
      const outcomes = items.map(({ metadata: { name }, status }) => [name, status?.history?.[0]?.outcome]);
      expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(COMPONENTS.map((name) => [name, 'Succeeded'])));
      const ends = items.map(({ metadata: { name }, status }) => `${status?.history?.[0]?.endedAt} ${name}`).sort();
      expect(ends.at(-1)).toMatch(/ lifecycle$/);
    }, UPGRADES);
    const after = await Promise.all(COMPONENTS.map(podOf));
    expect(after.map(({ image }) => image)).toEqual(before.map(({ image }) => image.replace(/:[^:]*$/, `:${NEXT}`)));
    expect(after.map(({ uid }) => uid)).not.toEqual(expect.arrayContaining(before.map(({ uid }) => uid)));
    expect((await ask<PlatformStatus>('status', '--remote')).version).toBe(NEXT);
  });
});
