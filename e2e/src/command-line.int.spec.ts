import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@crate/local-servers';
import { CratePlatform, eventually } from '@crate/testing';

const BIN = fileURLToPath(new URL('../../services/cli/bin', import.meta.url));
const PROGRAMS = ['crate', 'kubectl-crate', 'kubectl_complete-crate'];
const PROJECT = 'team-line';
const PATIENT = { timeoutMs: 180_000 };
const WISH = ['--region', 'us-east-1', '--version', 'v1.30.12', '--nodes', '1', '--control-plane', '1'];
const MEMBERS = [
  { kind: 'User', name: 'olga', role: 'operator' },
  { kind: 'User', name: 'anna', role: 'admin' },
];
const DOCUMENTS = `apiVersion: cloud.crate.dev/v1alpha1
kind: CloudAccount
metadata: { name: sandbox, namespace: ${PROJECT} }
spec: { provider: sandbox-aws, accountId: '111122223333' }
---
apiVersion: lifecycle.crate.dev/v1alpha1
kind: Project
metadata: { name: ${PROJECT} }
spec: { members: ${JSON.stringify(MEMBERS)} }
`;

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

let platform: CratePlatform;
/** Where the programs are, as after an installation. */
let bin: string;

beforeAll(async () => {
  platform = await CratePlatform.start();
  bin = await mkdtemp(join(tmpdir(), 'crate-line-'));
  for (const name of PROGRAMS) await symlink(join(BIN, `${name}.mjs`), join(bin, name));
  for (const name of ['olga', 'anna', 'stranger']) {
    await writeFile(join(bin, name), await platform.crate('kubeconfig', '--user', name), { mode: 0o600 });
  }
});
afterAll(async () => {
  await platform?.remove();
  await rm(bin, { recursive: true, force: true });
});

function environment(person?: string): NodeJS.ProcessEnv {
  const path = [bin, dirname(process.execPath), process.env['PATH']].join(':');
  const kubeconfig = person === undefined ? platform.kubeconfigFile : join(bin, person);
  return { ...process.env, PATH: path, KUBECONFIG: kubeconfig, NO_COLOR: '1' };
}

/** Runs a program to its end, as somebody; the administrator where nobody is named. */
async function run(
  args: readonly string[],
  { as, input, program = 'crate' }: { readonly as?: string; readonly input?: string; readonly program?: string } = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(program, [...args], { env: environment(as) }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
    child.stdin?.end(input ?? '');
  });
}

/** What it printed; fails with its errors where it failed. */
async function crate(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run([...args, '-n', PROJECT]);
  expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
  return stdout;
}

describe('somebody with nothing but the command line', () => {
  it('is told that all is well', async () => {
    // What answers too late on a busy machine is not well, and is so the next time.
    await eventually(async () => {
      const { code, stdout } = await run(['doctor', '-o', 'json', '--data-dir', platform.directory]);
      const { checks } = JSON.parse(stdout) as { checks: { area: string; level: string; name: string }[] };
      const others = checks.filter(({ area, level }) => area !== 'machine' && level !== 'ok');
      expect([code, others]).toEqual([0, []]);
      expect(checks.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['service policy-mgmt', 'queue of lifecycle']),
      );
    }, PATIENT);
  });

  it('applies documents in the order they need, again and again', async () => {
    const first = await run(['apply', '-f', '-'], { input: DOCUMENTS });
    expect(first).toMatchObject({
      code: 0,
      stdout: `project.lifecycle.crate.dev/${PROJECT} created\ncloudaccount.cloud.crate.dev/sandbox created\n`,
    });
    const again = await run(['apply', '-f', '-'], { input: DOCUMENTS });
    expect(again.stdout.match(/unchanged/g)).toHaveLength(2);
  });

  it('is refused with every field, and told what is missing by its option', async () => {
    const document = `{apiVersion: lifecycle.crate.dev/v1alpha1, kind: Cluster, metadata: {name: bad}, spec: {region: x}}`;
    const applied = await run(['apply', '-f', '-', '-n', PROJECT], { input: document });
    expect(applied.code).toBe(4);
    expect(applied.stderr).toMatch(/ {2}spec\.region: .*\n/);
    expect(applied.stderr).toMatch(/ {2}spec\.kubernetes: Required value\n/);
    const made = await run(['clusters', 'create', 'bad', '--region', 'us-east-1', '-n', PROJECT]);
    expect([made.code, made.stderr]).toEqual([4, expect.stringContaining('Say --version, or a --class that does')]);
  });

  it('sees what a cluster would lead to, and has it made', async () => {
    const dry = await run(['clusters', 'create', 'demo', ...WISH, '--dry-run', '-n', PROJECT]);
    expect(dry.stderr).toMatch(/Warning: nodes that join: demo-control-plane-0, demo-workers-0/);
    expect((await run(['get', 'clusters', '-n', PROJECT])).stderr).toContain('No clusters found');
    expect(await crate('clusters', 'create', 'demo', ...WISH, '--wait')).toContain('Cluster "demo" is Ready');
  });

  it('finds it by every name, in every form', async () => {
    for (const type of ['clusters', 'cluster', 'cl', 'clusters.lifecycle.crate.dev']) {
      expect(await crate('get', type)).toMatch(/^NAME +READY .*\ndemo +True +Ready +v1\.30\.12 /);
    }
    expect((await run(['get', 'cl', '-A', '-o', 'wide'])).stdout).toMatch(/^NAMESPACE +NAME .* ENDPOINT +AGE\n/);
    expect(await crate('get', 'cl/demo', '-o', 'jsonpath={.status.nodes.ready}')).toBe('2\n');
    expect(await crate('get', 'clusters', '--field-selector', 'spec.region=us-east-1', '-o', 'name')).toBe(
      'cluster.lifecycle.crate.dev/demo\n',
    );
    const described = await crate('describe', 'cluster', 'demo');
    for (const part of ['Kind:', 'Spec:', 'Conditions:', 'AddOnsReady', 'Events:', 'TerraformApplied']) {
      expect(described).toContain(part);
    }
  });

  it('writes its name with the help of bash', async () => {
    const line = `crate get clusters -n ${PROJECT} d`;
    const script = `source <(crate completion bash); COMP_LINE=$1; COMP_POINT=\${#COMP_LINE}; _crate; printf '%s\\n' "\${COMPREPLY[@]}"`;
    // Names that do not come within a moment are not offered; whoever asks again has them.
    await eventually(async () => {
      const offered = await run(['-c', script, 'bash', line], { program: 'bash' });
      expect(offered).toMatchObject({ code: 0, stdout: 'demo\n' });
      const plugin = await run(['get', 'clusters', '-n', PROJECT, ''], { program: 'kubectl_complete-crate' });
      expect(plugin.stdout).toBe('demo\n:4\n');
    }, PATIENT);
  });

  it('leaves what others have set to them, unless it takes it over', async () => {
    const pools = '[{name: workers, replicas: 2}]';
    const document = `{apiVersion: lifecycle.crate.dev/v1alpha1, kind: Cluster, metadata: {name: demo}, spec: {nodePools: ${pools}}}`;
    await crate('clusters', 'scale', 'demo', '--replicas', '3', '--wait');
    const refused = await run(['apply', '-f', '-', '-n', PROJECT], { input: document });
    expect(refused.code).toBe(4);
    expect(refused.stderr).toMatch(/spec\.nodePools\[name="workers"\]\.replicas: set by "/);
    const forced = await run(['apply', '-f', '-', '-n', PROJECT, '--force-conflicts'], { input: document });
    expect([forced.code, forced.stdout]).toEqual([0, 'cluster.lifecycle.crate.dev/demo configured\n']);
    expect(await crate('wait', 'cl/demo', '--for', 'condition=Ready', '--timeout', '3m')).toBe(
      'cluster/demo is Ready\n',
    );
  });

  it('sees changes as they happen, until it is interrupted', async () => {
    const child = spawn('crate', ['get', 'cl', '-w', '-n', PROJECT], { env: environment() });
    let seen = '';
    child.stdout.on('data', (chunk: Buffer) => (seen += chunk.toString()));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await eventually(() => expect(seen).toMatch(/^demo /m), PATIENT);
    await crate('clusters', 'pause', 'demo');
    await eventually(() => expect(seen).toMatch(/^demo .* Paused /m), PATIENT);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    await crate('clusters', 'resume', 'demo');
  });

  it('moves it to the next version, exactly as shown', async () => {
    const unasked = await run(['clusters', 'upgrade', 'demo', '-n', PROJECT]);
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('say --yes')]);
    expect(unasked.stdout).toContain('Impact: roll');
    expect((await run(['get', 'plans', '-n', PROJECT])).stderr).toContain('No plans found');
    expect(await crate('clusters', 'upgrade', 'demo', '--yes', '--wait')).toContain('is Ready with v1.31.8');
    expect(await crate('get', 'cl/demo', '-o', 'jsonpath={.status.version}')).toBe('v1.31.8\n');
  });

  it('gets into it', async () => {
    const file = join(bin, 'demo.kubeconfig');
    await crate('clusters', 'kubeconfig', 'demo', '-O', file);
    const { stdout } = await run(['api-resources', '--kubeconfig', file, '-o', 'name']);
    expect(stdout).toMatch(/^nodes$/m);
  });

  it('has a rule waived by two people', async () => {
    const wish = ['--policy', 'cluster-region-allowed', '--reason', 'The customer has enabled it', '--until', '30d'];
    const asked = await run(['policy', 'waiver', 'request', 'bahrain', ...wish, '-n', PROJECT], { as: 'olga' });
    expect(asked.code).toBe(0);
    const own = await run(['policy', 'waiver', 'approve', 'bahrain', '--yes', '-n', PROJECT], { as: 'olga' });
    expect(own.code).toBe(5);
    const approved = await run(['policy', 'waiver', 'approve', 'bahrain', '--yes', '-n', PROJECT], { as: 'anna' });
    expect(approved.stdout).toMatch(/Asked for by: +olga\n[^]*Waiver "bahrain" is in force/);
    await crate('policy', 'waiver', 'revoke', 'bahrain');
    expect(await crate('policy', 'waiver', 'list')).toMatch(/bahrain .* Revoked /);
  });

  it.each([
    { reason: 'what is not there', args: ['get', 'cl', 'nope'], code: 3 },
    { reason: 'a kind that is not there', args: ['get', 'clutter'], code: 2 },
    {
      reason: 'a policy that denies',
      args: ['clusters', 'create', 'x', '--region', 'me-south-1', '--version', 'v1.31.8'],
      code: 4,
    },
    { reason: 'a person who may not', args: ['get', 'clusters'], as: 'stranger', code: 5 },
    { reason: 'time that is over', args: ['wait', 'cl/demo', '--for', 'condition=Paused', '--timeout', '1s'], code: 6 },
  ])('tells scripts by a number of $reason', async ({ args, code, as }) => {
    const ended = await run([...args, '-n', PROJECT], as === undefined ? {} : { as });
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringMatching(/^(\[\d+s\].*\n)?crate: /)]);
  });

  it('is told that nobody is there', async () => {
    const away = (await platform.kubeconfig()).replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${await freePort()}`);
    await writeFile(join(bin, 'away'), away);
    const { code, stderr } = await run(['get', 'clusters'], { as: 'away' });
    expect([code, stderr]).toEqual([7, expect.stringMatching(/^crate: Cannot reach .*: nothing listens there\n$/)]);
    expect((await run(['doctor'], { as: 'away' })).code).toBe(1);
  });

  it('deletes it, and knows when it is gone', async () => {
    expect(await crate('delete', 'cluster', 'demo', '--dry-run', 'server')).toContain('would be deleted (dry run)');
    expect(await crate('get', 'cl/demo', '-o', 'name')).toContain('demo');
    expect(await crate('delete', 'cluster', 'demo', '--timeout', '4m')).toMatch(
      /is being deleted\ncluster\/demo is gone\n$/,
    );
    expect((await run(['get', 'cl', 'demo', '-n', PROJECT])).code).toBe(3);
    expect(await platform.inventory()).toEqual([]);
  });
});
