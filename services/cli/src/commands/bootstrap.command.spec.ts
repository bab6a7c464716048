import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CLUSTER, SUPPORTED_KUBERNETES_VERSIONS, vcpusOf, type Cluster } from '@crate/api';
import { Journal } from '../bootstrap/journal.js';
import type { BootstrapRequest } from '../bootstrap/request.js';
import { outputOf, type Written } from '../testing/output-of.js';
import { bootstrapCommand } from './bootstrap.command.js';
import { removeCommand } from './remove.command.js';

const REQUEST = {
  cloud: 'sandbox',
  name: 'platform',
  region: 'us-east-1',
  account: '000000000000',
} as BootstrapRequest;
let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'crate-bootstrap-'));
});
afterEach(async () => rm(data, { recursive: true, force: true }));

const bootstrap = (...args: readonly string[]): Promise<Written> =>
  outputOf(bootstrapCommand(), [...args, '--data', data]);
const remove = (...args: readonly string[]): Promise<Written> => outputOf(removeCommand(), ['--data', data, ...args]);

async function done(file: string, ...steps: readonly string[]): Promise<void> {
  await doneOf(REQUEST, file, steps);
}

async function doneOf(request: BootstrapRequest, file: string, steps: readonly string[]): Promise<void> {
  const journal = await Journal.open(join(data, file), request, () => new Date(0));
  for (const step of steps) await journal.add(step);
}

describe('crate bootstrap', () => {
  it('says how far it is', async () => {
    await done('bootstrap.json', 'preflight', 'singleton');
    const { stdout } = await bootstrap('sandbox', '--status', '-o', 'json');
    const rows = JSON.parse(stdout) as readonly { step: string; doneAt: string | null }[];
    expect(rows.filter(({ doneAt }) => doneAt !== null).map(({ step }) => step)).toEqual(['preflight', 'singleton']);
    expect(rows.at(-1)).toMatchObject({ step: 'retire', doneAt: null });
  });

  it.each([
    { args: ['sandbox', '--name', 'other'], steps: ['preflight'], reason: 'RequestChanged' },
    { args: ['sandbox', '--region', 'eu-west-1'], steps: ['preflight'], reason: 'RequestChanged' },
    { args: ['sandbox'], steps: ['preflight', 'rollingBack'], reason: 'RollingBack' },
    { args: ['sandbox', '--rollback'], steps: ['preflight', 'pivot'], reason: 'HasMoved' },
    { args: ['sandbox', '--nats-url', 'nats://a'], steps: [], reason: 'ServersMissing' },
    { args: ['sandbox', '--database-url-file', 'db.url'], steps: ['preflight'], reason: 'RequestChanged' },
    { args: ['sandbox', '--releases-index', 'https://a/index.json'], steps: [], reason: 'ReleasesMissing' },
    { args: ['sandbox', '--self-upgrade'], steps: [], reason: 'ReleasesMissing' },
    { args: ['sandbox'], steps: [], reason: 'SandboxMissing' },
  ])('refuses with $reason: $args', async ({ args, steps, reason }) => {
    await done('bootstrap.json', ...steps);
    await expect(bootstrap(...args)).rejects.toMatchObject({ details: { reason, remedy: expect.any(String) } });
  });

  it.each([
    { flag: '--values', text: undefined, message: /file\.yaml: there is no such file/ },
    { flag: '--values', text: '- a\n', message: /file\.yaml has no values of a chart/ },
    { flag: '--objects', text: 'a: [\n', message: /file\.yaml is no YAML/ },
    { flag: '--objects', text: 'a\n', message: /file\.yaml has a document that is no object/ },
  ])('refuses $flag with "$text" before anything is made', async ({ flag, text, message }) => {
    const file = join(data, 'file.yaml');
    if (text !== undefined) await writeFile(file, text);
    await expect(bootstrap('sandbox', flag, file)).rejects.toMatchObject({
      code: 'BadRequest',
      message: expect.stringMatching(message),
    });
  });

  it('asks for the account where there is none to guess, before anything is made', async () => {
    await expect(bootstrap('aws', '--management-networks', '203.0.113.0/24')).rejects.toMatchObject({
      code: 'BadRequest',
      message: expect.stringContaining('--account'),
    });
    expect((await bootstrap('aws', '--rollback')).stdout).toBe('There is nothing to take back\n');
    expect((await bootstrap('aws', '--status', '-o', 'json')).exitCode).toBe(0);
  });

  it('goes on with the account that it was begun with, and with no other', async () => {
    await doneOf({ ...REQUEST, cloud: 'aws' }, 'bootstrap.json', ['begun']);
    const missing: unknown = expect.stringMatching(/^(Credentials|Rke|Networks)Missing$/);
    await expect(bootstrap('aws', '--name', 'platform')).rejects.toMatchObject({ details: { reason: missing } });
    await expect(bootstrap('aws', '--account', '123456789012')).rejects.toMatchObject({
      details: { reason: 'RequestChanged' },
    });
  });

  it('does not use the directory of a platform that was removed', async () => {
    await done('remove.json', 'clusters');
    await expect(bootstrap('sandbox')).rejects.toMatchObject({ details: { reason: 'DirectoryUsed' } });
  });

  it('has nothing to take back where nothing was begun', async () => {
    expect((await bootstrap('sandbox', '--rollback')).stdout).toBe('There is nothing to take back\n');
  });

  it('offers the newest Kubernetes there is', () => {
    const [aws] = bootstrapCommand().commands;
    const [newest] = SUPPORTED_KUBERNETES_VERSIONS.rke;
    expect(aws?.opts()).toMatchObject({ kubernetesVersion: newest });
  });

  it.each([
    ['bootstrap.md', 'the bastion', 0],
    // Of its default type, t3.large.
    ['aws-marketplace.md', 'the temporary machine, too', 2],
  ])('takes as many processors as docs/install/%s says, with %s', async (page, _with, more) => {
    const { controlPlane, nodes, machineType } = bootstrapCommand().commands[0]!.opts<BootstrapRequest>();
    const least = { accountRef: { name: 'platform' }, region: 'us-east-1', kubernetes: { version: 'v1.32.4' } };
    const { spec } = CLUSTER.body.parse({ spec: least }) as Cluster;
    const of = (type: string, count: number): number => count * (vcpusOf(type) ?? Number.NaN);
    const usual = spec.controlPlane?.machineType ?? '';
    const all = of(usual, controlPlane) + of(machineType, nodes) + of('t3.micro', 1) + more;
    const text = await readFile(new URL(`../../../../docs/install/${page}`, import.meta.url), 'utf8');
    expect(text).toContain(`${all} virtual CPUs`);
  });

  it.each([
    ['--name', 'Not-A-Name'],
    ['--name', 'internal-crate'],
    ['--name', 'sg'],
    ['--account', '42'],
    ['--nodes', '0'],
    ['--server-registry', 'https://registry.example.com'],
  ])('refuses %s %s', async (option, value) => {
    await expect(bootstrap('aws', option, value)).rejects.toMatchObject({ code: 'commander.invalidArgument' });
  });
});

describe('crate remove', () => {
  it('takes nothing away before the platform in the cluster has taken over, and then whatever came of the rest', async () => {
    await done('bootstrap.json', 'preflight', 'available');
    const removed = (): Promise<Written> => remove('--confirm', 'platform');
    await expect(removed()).rejects.toMatchObject({ details: { reason: 'NotInstalled' } });
    await done('bootstrap.json', 'pivot');
    await expect(removed()).rejects.toThrow('admin.kubeconfig, which is not there');
  });

  it('asks for the name of what goes', async () => {
    await done('bootstrap.json', 'pivot');
    await expect(remove('--confirm', 'another')).rejects.toMatchObject({ code: 'Conflict' });
    await expect(remove()).rejects.toMatchObject({ code: 'BadRequest' });
  });

  it('reads the password of the database anew', async () => {
    await doneOf({ ...REQUEST, databaseUrlFile: '/db.url' }, 'bootstrap.json', ['pivot']);
    await writeFile(join(data, 'platform-database-url'), 'postgresql://crate:old@127.0.0.1:1/crate');
    const file = join(data, 'new.url');
    await writeFile(file, 'postgresql://crate:new@127.0.0.1:1/crate');
    // There is no kubeconfig: nothing else is done.
    await expect(remove('--confirm', 'platform', '--database-url-file', file)).rejects.toThrow();
    expect(await readFile(join(data, 'platform-database-url'), 'utf8')).toContain('crate:new@');
  });

  it('says so when it is removed already, and gives the proof again', async () => {
    await done('bootstrap.json', 'pivot');
    await done('remove.json', 'clusters', 'keys', 'singleton', 'pivot', 'stop', 'cluster', 'proof', 'end');
    await writeFile(join(data, 'proof.json'), '{}');
    expect((await remove('--confirm', 'platform')).stdout).toContain('It is removed already');
  });
});
