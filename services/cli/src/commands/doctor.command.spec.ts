import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { freePort } from '@crate/testing';
import { aPlatform } from '../testing/a-platform.js';
import { createAuthority } from '@crate/sandbox';
import { FakeApi, type FakeAnswer } from '../testing/fake-api.js';
import { outputOf, type Written } from '../testing/output-of.js';
import { DataDir } from '../up/data-dir.js';
import { doctorCommand } from './doctor.command.js';

interface Report {
  readonly ok: boolean;
  readonly checks: readonly {
    readonly area: string;
    readonly name: string;
    readonly level: string;
    readonly message: string;
  }[];
}

/** What the platform tells of itself, when all of it is well. */
const STATUS = Object.fromEntries(
  [
    'replicas',
    'queues',
    'locks',
    'nats',
    'postgres',
    'certificates',
    'clocks',
    'recovery',
    'versions',
    'marketplace',
  ].map((name) => [`platform ${name}`, 'ok']),
);

const GROUPS = ['lifecycle', 'cloud', 'cluster', 'policy'];

let api: FakeApi;
let served: readonly string[];
let platform: FakeAnswer;

beforeEach(async () => {
  served = GROUPS;
  const [lifecycle, policyMgmt] = aPlatform().services;
  const services = [lifecycle, { ...lifecycle, name: 'cloud-mgmt' }, policyMgmt];
  platform = { body: { ...aPlatform(), services } };
  api = await FakeApi.start((_method, path) => answerOf(path));
});
afterEach(async () => api.stop());

function answerOf(path: string): FakeAnswer {
  if (path === '/readyz') return { body: 'ok' };
  if (path === '/version') return { body: { gitVersion: 'v1.31.4+crate.0.1.0' } };
  if (path.endsWith('selfsubjectreviews')) return { body: { status: { userInfo: { username: 'olga' } } } };
  if (path === '/platform/status') return platform;
  if (path === '/api') return { body: { items: [] } };
  if (path === '/apis') return { body: { items: served.map(groupOf) } };
  const group = /^\/apis\/(\w+)\.crate\.dev\//.exec(path)?.[1] ?? '';
  return served.includes(group) ? { body: { items: [] } } : undefined;
}

function groupOf(name: string): object {
  const kind = { resource: 'things', responseKind: { kind: 'Thing' }, scope: 'Namespaced', verbs: ['list'] };
  return { metadata: { name: `${name}.crate.dev` }, versions: [{ version: 'v1alpha1', resources: [kind] }] };
}

async function doctor(): Promise<Written & { readonly report: Report }> {
  const written = await outputOf(doctorCommand(), ['--data-dir', api.dataDir, '-o', 'json']);
  return { ...written, report: JSON.parse(written.stdout) as Report };
}

function ofPlatform({ checks }: Report): Record<string, string> {
  return Object.fromEntries(checks.filter(({ area }) => area === 'platform').map(({ name, level }) => [name, level]));
}

describe('crate doctor', () => {
  it('finds a platform well', async () => {
    const { report } = await doctor();
    expect(ofPlatform(report)).toEqual({
      context: 'ok',
      reachable: 'ok',
      certificate: 'ok',
      clock: 'ok',
      'sign-in': 'ok',
      version: 'ok',
      kinds: 'ok',
      'service lifecycle': 'ok',
      'service cloud-mgmt': 'ok',
      'service cluster-mgmt': 'ok',
      'service policy-mgmt': 'ok',
      ...STATUS,
      clusters: 'ok',
    });
    expect(report.checks.filter(({ area }) => area === 'machine').map(({ name }) => name)).toEqual(
      expect.arrayContaining(['node', 'terraform', 'postgres', 'nats-server', 'kubectl', 'disk', 'memory', 'port']),
    );
  });

  it('looks at all else where it may not see what runs here, and says so', async () => {
    await mkdir(new DataDir(api.dataDir).runFile());
    const { report, exitCode } = await doctor();
    expect(report.checks.filter(({ area }) => area === 'local platform')).toEqual([
      expect.objectContaining({
        name: 'record',
        level: 'fail',
        message: expect.stringMatching(/^Cannot read .*up.json/),
      }),
    ]);
    expect([new Set(Object.values(ofPlatform(report))), exitCode]).toEqual([new Set(['ok']), 1]);
  });

  it('says once that nobody answers, and what to do', async () => {
    await api.stop();
    // What is kept there names a platform that is gone.
    api = await FakeApi.start((_method, path) => answerOf(path));
    const file = new DataDir(api.dataDir).adminKubeconfig();
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${await freePort()}`));
    const { report, exitCode } = await doctor();
    const { context, reachable, ...rest } = ofPlatform(report);
    expect([context, reachable, exitCode]).toEqual(['ok', 'fail', 1]);
    expect(new Set(Object.values(rest))).toEqual(new Set(['skip']));
    expect(report.checks.find(({ name }) => name === 'reachable')).toMatchObject({
      message: expect.stringContaining('nothing listens there'),
      remedy: expect.stringContaining('crate up'),
    });
  });

  it('says once that the certificate is not trusted, and tells of the certificate', async () => {
    const file = new DataDir(api.dataDir).adminKubeconfig();
    const { certificate } = await createAuthority('Another CA');
    const authority = `certificate-authority-data: ${Buffer.from(certificate).toString('base64')}`;
    await writeFile(file, (await readFile(file, 'utf8')).replace(/certificate-authority-data: .*/, authority));
    const { report } = await doctor();
    const { context, reachable, certificate: own, clock, ...rest } = ofPlatform(report);
    expect([context, reachable, own, clock]).toEqual(['ok', 'fail', 'ok', 'ok']);
    expect(new Set(Object.values(rest))).toEqual(new Set(['skip']));
    expect(report.checks.find(({ name }) => name === 'reachable')).toMatchObject({
      message: expect.stringContaining('from no authority that is trusted here'),
      remedy: expect.stringContaining('See the certificate below'),
    });
  });

  it('names the service that is away, and fails', async () => {
    served = GROUPS.filter((name) => name !== 'policy');
    const { report, exitCode } = await doctor();
    expect(ofPlatform(report)).toMatchObject({
      kinds: 'fail',
      'service policy-mgmt': 'fail',
      'service lifecycle': 'ok',
    });
    expect([report.ok, exitCode]).toEqual([false, 1]);
  });

  it('says what the platform finds of itself, with what to do, the worst first', async () => {
    const problem = { area: 'service', message: 'Is silent', remedy: 'See its log' } as const;
    const health = 'Failing';
    const problems = [
      { ...problem, severity: 'critical', subject: 'policy-mgmt' } as const,
      { ...problem, severity: 'warning', subject: 'cloud-mgmt@one:7' } as const,
      { ...problem, severity: 'warning', area: 'clock', subject: 'replicas', remedy: 'Use NTP' } as const,
    ];
    platform = { body: aPlatform({ health, problems }) };
    const { report, exitCode } = await doctor();
    const found = report.checks.filter(({ name }) => name === 'platform replicas' || name === 'platform clocks');
    expect(found).toMatchObject([
      { level: 'fail', message: 'policy-mgmt: Is silent; cloud-mgmt@one:7: Is silent', remedy: 'See its log' },
      { level: 'warn', message: 'replicas: Is silent', remedy: 'Use NTP' },
    ]);
    expect(exitCode).toBe(1);
  });

  it('writes nothing over the terminal with what others say', async () => {
    const problem = { area: 'nats', severity: 'critical', subject: 'nats' } as const;
    const problems = [{ ...problem, message: 'Gone\u001b[2K\nok', remedy: 'See\u001b[2K\nall is well' }];
    platform = { body: aPlatform({ health: 'Failing', problems }) };
    const { stdout } = await outputOf(doctorCommand(), ['--data-dir', api.dataDir]);
    expect(stdout).toMatch(/nats: Gone\\u001b\[2K ok\n +→ See\\u001b\[2K all is well\n/);
  });

  it.each([
    { health: 'Healthy', state: 'Ready', level: 'ok' },
    { health: 'Degraded', state: 'Degraded', level: 'warn' },
    { health: 'Failing', state: 'Silent', level: 'fail' },
  ])('tells people who do not run it whether it is $health, and nothing else', async ({ health, state, level }) => {
    const { kind, at, version } = aPlatform();
    platform = { body: { kind, at, version, detail: 'summary', health, services: [{ name: 'policy-mgmt', state }] } };
    const skipped = Object.fromEntries(Object.keys(STATUS).map((name) => [name, 'skip']));
    expect(ofPlatform((await doctor()).report)).toMatchObject({ ...skipped, 'platform replicas': level });
  });

  it('goes without where the platform is older', async () => {
    platform = undefined;
    const { report, exitCode } = await doctor();
    expect(ofPlatform(report)).toMatchObject({ 'platform replicas': 'skip', 'platform nats': 'skip' });
    expect(exitCode).toBe(0);
  });

  it('fails when the platform that was named is not there', async () => {
    const { dataDir } = api;
    await api.stop();
    api = await FakeApi.start(() => undefined);
    const { stdout, exitCode } = await outputOf(doctorCommand(), ['--data-dir', dataDir]);
    expect(stdout).toMatch(/fail +context .*No platform has run on/);
    expect(exitCode).toBe(1);
  });
});
