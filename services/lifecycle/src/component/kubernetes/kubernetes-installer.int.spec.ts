import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { parseConfig } from '@crate/config';
import { NAMESPACE, RELEASE, releaseSecrets, StagedChart, whyNoHelm, type RenderedObject } from '@crate/helm-chart';
import { writeLocalImages } from '@crate/sandbox';
import { buildSandbox, TestBench } from '@crate/sandbox/testing';
import { eventually } from '@crate/testing';
import { z } from 'zod';
import { componentsConfig } from '../component.config.js';
import { installerOf } from '../installer-choice.js';
import type { InstalledSlot, Installer, WantedInstallation } from '../installer.js';
import { OwnCluster } from './own-cluster.js';

jest.setTimeout(300_000);

interface PodSpec {
  readonly containers: readonly { readonly env: readonly { readonly name: string; readonly value: string }[] }[];
}

const PATIENT = { timeoutMs: 90_000 };
const COMPONENT = 'policy-mgmt';
const SET = `statefulset/${RELEASE}-${COMPONENT}`;
const IMAGE = `ghcr.io/crate/crate-${COMPONENT}`;
// Newer than the chart will be for long: it refuses what is older.
const VALUES = {
  image: { tag: '90.0.0' },
  components: { enabled: true },
  persistence: { enabled: false },
  messaging: { url: 'tls://nats.example.com:4222', tlsSecret: 'nats-ca' },
};
const reason = await whyNoHelm();
const suite = reason === undefined ? describe : describe.skip;

suite(
  `versions in a simulated cluster, set as the chart lets${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let bench: TestBench;
    let chart: StagedChart;
    let access: string;
    let own: OwnCluster;
    let installer: Installer;

    beforeAll(async () => {
      access = await mkdtemp(join(tmpdir(), 'crate-access-'));
      chart = await StagedChart.make();
      await buildSandbox();
      bench = await TestBench.start();
      await bench.up();
      await kubectl(`create namespace ${NAMESPACE}`);
      const { secrets } = await releaseSecrets({
        fullname: RELEASE,
        namespace: NAMESPACE,
        hosts: ['crate.example.com'],
      });
      const objects = await chart.render(VALUES);
      const parts = objects.filter(
        ({ kind, metadata }) => /Role|ServiceAccount/.test(kind) || `${kind.toLowerCase()}/${metadata.name}` === SET,
      );
      const ca = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'nats-ca', namespace: NAMESPACE } };
      const items = [...secrets, { ...ca, stringData: { 'ca.crt': 'an authority' } }, ...parts];
      await kubectl('apply --server-side -f -', { apiVersion: 'v1', kind: 'List', items });
      await takeAccess();
      installer = chosenBy(objects);
    });
    afterAll(async () => {
      await bench.stop();
      await chart.remove();
      await rm(access, { recursive: true });
    });

    const kubectl = (args: string, input?: unknown): Promise<string> =>
      bench.kubectlSucceeds(['-n', NAMESPACE, ...args.split(' ')], input);

    /** As the kubelet gives it to a pod of lifecycle. */
    async function takeAccess(): Promise<void> {
      await writeFile(join(access, 'token'), await kubectl(`create token ${RELEASE}-lifecycle`));
      const ca = await eventually(
        () => kubectl('get configmap kube-root-ca.crt -o jsonpath={.data.ca\\.crt}'),
        PATIENT,
      );
      await writeFile(join(access, 'ca.crt'), ca);
      own = new OwnCluster({ host: '127.0.0.1', port: bench.port, directory: access });
    }

    /** As lifecycle chooses it from the variables that the chart gives to its pod. */
    function chosenBy(objects: readonly RenderedObject[]): Installer {
      const place: Readonly<Record<string, string>> = {
        '$(KUBERNETES_SERVICE_HOST)': '127.0.0.1',
        '$(KUBERNETES_SERVICE_PORT)': String(bench.port),
        '/run/crate/cluster': access,
      };
      const set = objects.find(
        ({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === `${RELEASE}-lifecycle`,
      );
      const { containers } = (set?.['spec'] as { template: { spec: PodSpec } }).template.spec;
      const own = (containers[0]?.env ?? []).filter(({ name }) => name.startsWith('CRATE_COMPONENTS_'));
      const unknown = (message: string): never => {
        throw new Error(message);
      };
      const { components } = parseConfig(
        z.object({ components: componentsConfig }),
        Object.fromEntries(own.map(({ name, value }) => [name, place[value] ?? value])),
        { onWarning: unknown },
      );
      return installerOf(components, () => undefined) as Installer;
    }

    const ensureOnce = (wanted: WantedInstallation): Promise<void> => installer.ensure(COMPONENT, wanted);
    /** The controller writes the set, too, so that what was read may be old; the reconciler of components tries again, too. */
    const ensure = (wanted: WantedInstallation): Promise<void> => eventually(() => ensureOnce(wanted), PATIENT);
    const slots = async (): Promise<readonly InstalledSlot[]> => (await installer.observe(COMPONENT))?.slots ?? [];
    const short = ({ version, isReady, isCanary }: InstalledSlot): string =>
      `${version}${isReady ? '' : ' not ready'}${isCanary ? ' canary' : ''}`;
    const becomes = (...want: readonly string[]): Promise<void> =>
      eventually(async () => expect((await slots()).map(short)).toEqual(want), PATIENT);
    const uidOf = (index: number): Promise<string> =>
      kubectl(`get pod ${RELEASE}-${COMPONENT}-${index} -o jsonpath={.metadata.uid}`);
    const towards = (version: string, next: string, stage: 'Canary' | 'All'): WantedInstallation => ({
      version,
      next: { version: next, stage },
    });
    const newer = (...upgrade: Parameters<typeof towards>): Promise<void> => ensure(towards(...upgrade));

    it('are those of the chart at first', async () => {
      await becomes('90.0.0', '90.0.0');
      expect(await installer.observe(COMPONENT)).toMatchObject({ version: '90.0.0', setBy: 'kubectl' });
    });

    it('are tried with the last pod, and no other one gets them, also when it is made anew', async () => {
      await newer('90.0.0', '90.1.0', 'Canary');
      await becomes('90.0.0', '90.1.0 canary');
      const before = await uidOf(0);
      await kubectl(`delete pod ${RELEASE}-${COMPONENT}-0`);
      await eventually(async () => expect(await uidOf(0)).not.toBe(before), PATIENT);
      await becomes('90.0.0', '90.1.0 canary');
      expect((await installer.observe(COMPONENT))?.version).toBe('90.0.0');
    });

    it('then reach all, and nothing of the way is left', async () => {
      await newer('90.0.0', '90.1.0', 'All');
      await becomes('90.1.0', '90.1.0');
      await ensure({ version: '90.1.0' });
      expect((await installer.observe(COMPONENT))?.version).toBe('90.1.0');
      expect(await kubectl(`get ${SET} -o jsonpath={.metadata.annotations}`)).not.toContain('components.crate.dev');
      const version = (): Promise<string> => kubectl(`get ${SET} -o jsonpath={.metadata.generation}`);
      const before = await version();
      await ensure({ version: '90.1.0' });
      expect(await version()).toBe(before);
    });

    it('are not put back by a chart that is older, which says so', async () => {
      const kubeconfig = join(bench.directory, 'kubeconfig');
      const refusal = await chart.refusal(VALUES, kubeconfig);
      expect(refusal).toContain(`${RELEASE}-${COMPONENT} has 90.1.0`);
      expect(refusal).toContain('--set image.tag=90.1.0');
      // Helm goes on to what is not its own here, since it did not install it. A build of the same version is none before it.
      for (const tag of ['90.1.0', '90.1.0-fix.1']) {
        expect(await chart.refusal({ ...VALUES, image: { tag } }, kubeconfig)).not.toContain(' has 90.1.0');
      }
    });

    it('are taken back when they do not run, and the others never notice', async () => {
      const broken = { command: [process.execPath, '-e', 'process.exit(3)'] };
      await writeLocalImages(bench.directory, { [`${IMAGE}:90.2.0`]: broken });
      const before = await uidOf(0);
      await newer('90.1.0', '90.2.0', 'Canary');
      await eventually(async () => {
        const [first, canary] = await slots();
        expect(short(first as InstalledSlot)).toBe('90.1.0');
        expect(canary).toMatchObject({
          version: '90.2.0',
          isReady: false,
          lastWords: expect.stringContaining('exit code 3'),
        });
        expect(canary?.restarts).toBeGreaterThan(0);
      }, PATIENT);
      await ensure({ version: '90.1.0' });
      await becomes('90.1.0', '90.1.0');
      expect(await uidOf(0)).toBe(before);
    });

    it('are left to who has set another one meanwhile, by name', async () => {
      await newer('90.1.0', '90.3.0', 'Canary');
      await kubectl(`set image ${SET} ${COMPONENT}=${IMAGE}:90.4.0`);
      await expect(ensureOnce(towards('90.1.0', '90.3.0', 'All'))).rejects.toMatchObject({
        code: 'Conflict',
        message: expect.stringContaining('kubectl-set'),
      });
      expect(await installer.observe(COMPONENT)).toMatchObject({ version: '90.4.0', setBy: 'kubectl-set' });
      await ensure({ version: '90.4.0' });
      await becomes('90.4.0', '90.4.0');
    });

    it('are all that the token is good for', async () => {
      const cluster = await own.current();
      const place = { namespace: NAMESPACE, name: `${RELEASE}-${COMPONENT}` };
      for (const ref of [
        { apiVersion: 'v1', kind: 'Secret', ...place, name: `${RELEASE}-lifecycle-keys` },
        { apiVersion: 'v1', kind: 'Pod', ...place, name: `${RELEASE}-${COMPONENT}-0` },
        { apiVersion: 'apps/v1', kind: 'StatefulSet', ...place, name: 'other' },
      ]) {
        await expect(cluster.get(ref)).rejects.toMatchObject({ code: 'Forbidden' });
      }
      await expect(cluster.list('v1', 'Pod', { namespace: 'default' })).rejects.toMatchObject({ code: 'Forbidden' });
    });

    it('wait for an API that is silent, and go on when it answers', async () => {
      await bench.clusters.setApis({ down: true, expired: false });
      await expect(installer.observe(COMPONENT)).rejects.toMatchObject({ code: 'Unavailable' });
      const refused = ensureOnce(towards('90.4.0', '90.5.0', 'Canary'));
      await expect(refused).rejects.toMatchObject({ code: 'Unavailable' });
      await bench.clusters.setApis({ down: false, expired: false });
      await becomes('90.4.0', '90.4.0');
      await newer('90.4.0', '90.5.0', 'Canary');
      await becomes('90.4.0', '90.5.0 canary');
    });
  },
);
