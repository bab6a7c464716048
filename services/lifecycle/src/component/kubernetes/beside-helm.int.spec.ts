import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CHART, NAMESPACE, RELEASE, releaseSecrets, ROOT, runProgram, StagedChart, whyNoHelm } from '@crate/helm-chart';
import { HttpTargetCluster } from '@crate/kubernetes';
import { buildSandbox, TestBench } from '@crate/sandbox/testing';
import { eventually } from '@crate/testing';
import type { WantedInstallation } from '../installer.js';
import { KubernetesInstaller } from './kubernetes-installer.js';

jest.setTimeout(300_000);

const COMPONENT = 'policy-mgmt';
const SET = `statefulset/${RELEASE}-${COMPONENT}`;
const FORCE = '--force-conflicts';
/** What the signed index says of a single version. */
const SIGNED = { version: '90.3.1', digest: `sha256:${'d'.repeat(64)}` };
// Newer than the chart will be for long: it refuses what is older.
const VALUES = {
  'image.tag': '90.0.0',
  'components.enabled': true,
  'persistence.enabled': false,
  'messaging.url': 'tls://nats.example.com:4222',
  'messaging.tlsSecret': 'nats-ca',
};

interface Change {
  readonly without?: string;
  readonly more?: readonly string[];
}

/** Helm 3 merges in the client, where nobody is asked whose a field is. */
const reason = (await whyNoHelm()) ?? (await whyNotFour());
const suite = reason === undefined ? describe : describe.skip;

async function whyNotFour(): Promise<string | undefined> {
  const { stdout } = await runProgram('helm', ['version', '--template', '{{ .Version }}']);
  return /^v[4-9]/.test(stdout) ? undefined : `Helm 4 is needed, not ${stdout}`;
}

suite(`a release of Helm 4 whose images others set${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  let bench: TestBench;
  let chart: StagedChart;
  let cluster: HttpTargetCluster;
  let installer: KubernetesInstaller;

  beforeAll(async () => {
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
    const ca = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'nats-ca', namespace: NAMESPACE } };
    const items = [...secrets, { ...ca, stringData: { 'ca.crt': 'an authority' } }];
    await kubectl('apply --server-side -f -', { apiVersion: 'v1', kind: 'List', items });
    cluster = new HttpTargetCluster(await readFile(join(bench.directory, 'kubeconfig'), 'utf8'));
    installer = new KubernetesInstaller({
      cluster: () => Promise.resolve(cluster),
      namespace: NAMESPACE,
      fullname: RELEASE,
      digestOf: (_, version) => (version === SIGNED.version ? SIGNED.digest : undefined),
    });
    const values = Object.entries(VALUES).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
    expect(await helm('install', RELEASE, chart.directory, ...values)).toBe('');
  });
  afterAll(async () => {
    await cluster.close();
    await bench.stop();
    await chart.remove();
  });

  const kubectl = (args: string, input?: unknown): Promise<string> =>
    bench.kubectlSucceeds(['-n', NAMESPACE, ...args.split(' ')], input);

  /** What Helm said against it; empty when it did it. */
  async function helm(...args: readonly string[]): Promise<string> {
    const access = ['--namespace', NAMESPACE, '--kubeconfig', join(bench.directory, 'kubeconfig')];
    const { ok, stderr } = await runProgram('helm', [...args, ...access]);
    return ok ? '' : stderr;
  }

  /** The command of the documentation, for the chart that is tested, with the flags that shall be otherwise. */
  const documented = (command: 'upgrade' | 'rollback', change?: Change): Promise<string> =>
    documentedIn('helm.md', command, change);

  async function documentedIn(
    page: string,
    command: string,
    { without = '', more = [] }: Change = {},
  ): Promise<string> {
    const text = await readFile(join(ROOT, 'docs/install', page), 'utf8');
    const [, line = ''] = new RegExp(`^helm (${command} .*)$`, 'm').exec(text) ?? [];
    // Files of whoever follows the page.
    const args = line
      .replaceAll(/ (--kubeconfig|-f) DATA\S+/g, '')
      .split(' ')
      .filter((arg) => arg !== without);
    return helm(...args.map((arg) => (arg === CHART ? chart.directory : arg)), ...more);
  }

  const tag = (version: string): readonly string[] => ['--set-string', `image.tag=${version}`];
  const image = (): Promise<string> => kubectl(`get ${SET} -o jsonpath={.spec.template.spec.containers[0].image}`);
  /** The controller writes the set, too, so that what was read may be old. */
  const ensure = (wanted: WantedInstallation): Promise<void> =>
    eventually(() => installer.ensure(COMPONENT, wanted), { timeoutMs: 60_000 });
  async function upgraded(version: string, next: string): Promise<void> {
    await ensure({ version, next: { version: next, stage: 'All' } });
    await ensure({ version: next });
  }

  it('takes a newer image by the command of the documentation, and not without its force', async () => {
    await upgraded('90.0.0', '90.1.0');
    const refusal = await documented('upgrade', { without: FORCE, more: tag('90.2.0') });
    expect(refusal).toContain('conflict with "crate-components"');
    expect(await image()).toMatch(/:90\.1\.0$/);
    expect(await documented('upgrade', { more: tag('90.2.0') })).toBe('');
    expect(await image()).toMatch(/:90\.2\.0$/);
  });

  it('is then what somebody else than components has installed', async () => {
    expect(await installer.observe(COMPONENT)).toMatchObject({ version: '90.2.0', setBy: 'helm' });
    await expect(installer.ensure(COMPONENT, { version: '90.1.0' })).rejects.toMatchObject({
      details: { reason: 'ChangedFromOutside' },
    });
  });

  it('starts again what was scaled to nothing for a restore', async () => {
    await kubectl(`scale ${SET} --replicas=0`);
    expect(await documented('upgrade', { without: FORCE })).toContain('.spec.replicas');
    expect(await documented('upgrade')).toBe('');
    expect(await kubectl(`get ${SET} -o jsonpath={.spec.replicas}`)).toBe('2');
  });

  it('goes back by the command of the documentation after components have set an image', async () => {
    await upgraded('90.2.0', '90.3.0');
    expect(await documented('rollback', { without: FORCE })).toContain('conflict with "crate-components"');
    expect(await documented('rollback')).toBe('');
    expect(await image()).toMatch(/:90\.2\.0$/);
  });

  it('leaves the digest that components have set to the version of the chart, and its pods alone', async () => {
    await upgraded('90.2.0', SIGNED.version);
    const before = await image();
    expect(before.endsWith(`:${SIGNED.version}@${SIGNED.digest}`)).toBe(true);
    expect(await documented('upgrade', { more: tag(SIGNED.version) })).toBe('');
    expect(await image()).toBe(before);
  });

  it.each([
    { what: 'a digest', values: `policyMgmt.image.digest=sha256:${'f'.repeat(64)}` },
    { what: 'a tag that is no version', values: 'image.tag=main' },
  ])(
    'keeps what components have installed from an image of which nobody can tell how old it is: $what',
    async ({ values }) => {
      const before = await image();
      const refusal = await documented('upgrade', { more: ['--set', values] });
      expect(refusal).toContain('--set policyMgmt.image.digest= --set image.tag= takes the version of the chart');
      expect(await image()).toBe(before);
    },
  );

  it('puts back a digest that somebody else has set behind that version', async () => {
    const before = await image();
    const [version = ''] = before.split('@');
    await kubectl(`set image ${SET} ${COMPONENT}=${version}@sha256:${'e'.repeat(64)}`);
    expect(await documented('upgrade')).toBe('');
    expect(await image()).toBe(version);
  });

  it.each([
    ['in the server', {}, ['--server-side=true']],
    ['as Helm 3 does', { without: FORCE }, ['--server-side=false']],
  ])('keeps the pods that run when an autoscaler takes over their number: %s', async (_, change, flags) => {
    const upgradedWith = (values: string): Promise<string> =>
      documented('upgrade', { ...change, more: [...flags, '--set', values] });
    const replicas = (): Promise<string> => kubectl(`get ${SET} -o jsonpath={.spec.replicas}`);
    expect(await upgradedWith('policyMgmt.replicas=3,policyMgmt.autoscaling.kind=none')).toBe('');
    expect(await replicas()).toBe('3');
    expect(await upgradedWith('policyMgmt.autoscaling.kind=hpa')).toBe('');
    expect(await replicas()).toBe('3');
    await kubectl(`scale ${SET} --replicas=4`);
    expect(await upgradedWith('policyMgmt.autoscaling.kind=hpa')).toBe('');
    expect(await replicas()).toBe('4');
    // What is upgraded while it is stopped does not become a revision that stops it for good, since no autoscaler leaves zero.
    await kubectl(`scale ${SET} --replicas=0`);
    expect(await upgradedWith('policyMgmt.autoscaling.kind=hpa')).toBe('');
    expect(await replicas()).toBe('2');
  });

  it('refuses the force where it was applied as Helm 3 does, until it is told to apply in the server', async () => {
    expect(await documented('upgrade', { without: FORCE, more: ['--server-side=false'] })).toBe('');
    expect(await documented('upgrade')).toContain('forceConflicts enabled when serverSideApply disabled');
    expect(await documented('upgrade', { more: ['--server-side=true'] })).toBe('');
    expect(await documented('upgrade')).toBe('');
  });

  it('takes over what a bootstrap has made, of which Helm knows nothing', async () => {
    expect(await helm('uninstall', RELEASE)).toBe('');
    for (const object of await chart.render(nested(VALUES))) {
      await cluster.applyObject(object, { fieldManager: 'crate-bootstrap', force: true });
    }
    const takeOver = (without = ''): Promise<string> => documentedIn('bootstrap.md', 'upgrade', { without, more: own });
    const own = Object.entries(VALUES).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
    expect(await takeOver('--take-ownership')).toContain('invalid ownership metadata');
    expect(await takeOver()).toBe('');
    expect(await helm('status', RELEASE)).toBe('');
  });
});

/** Values by their paths as they stand in a file. */
function nested(values: Readonly<Record<string, unknown>>): Record<string, Record<string, unknown>> {
  const result: Record<string, Record<string, unknown>> = {};
  for (const [path, value] of Object.entries(values)) {
    const [first = '', second = ''] = path.split('.');
    result[first] = { ...result[first], [second]: value };
  }
  return result;
}
