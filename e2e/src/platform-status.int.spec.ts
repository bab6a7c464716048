import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { platformStatusSchema, type PlatformService, type PlatformStatus } from '@crate/api';
import { CratePlatform, eventually } from '@crate/testing';
import { parse } from 'yaml';
import { HttpClient } from './conformance/http-client.js';
import { CrateUser } from './crate-user.js';
import { whileHeld } from './held-runs.js';

const SERVICE = 'policy-mgmt';
const PATIENT = { timeoutMs: 120_000 };

let platform: CratePlatform;
let http: HttpClient;
/** A process that a test began. */
let added: ChildProcess | undefined;
/** How to go on with what a test paused. */
let resume = (): void => undefined;
beforeAll(async () => {
  platform = await CratePlatform.start();
  const { clusters, users } = parse(await platform.kubeconfig()) as {
    readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
    readonly users: readonly { readonly user: { readonly token: string } }[];
  };
  const { server = '', 'certificate-authority-data': ca = '' } = clusters[0]?.cluster ?? {};
  http = new HttpClient({ url: server, ca: Buffer.from(ca, 'base64').toString(), token: users[0]?.user.token ?? '' });
});
afterEach(() => {
  resume();
  added?.kill('SIGKILL');
});
afterAll(async () => {
  http?.close();
  await platform?.remove();
});

async function status(): Promise<PlatformStatus> {
  const { code, text, body } = await http.get('/platform/status');
  if (code !== 200) throw new Error(`${code}: ${text}`);
  return body as unknown as PlatformStatus;
}

async function service(name = SERVICE): Promise<PlatformService> {
  const found = (await status()).services.find((each) => each.name === name);
  if (!found) throw new Error(`${name} is not shown`);
  return found;
}

/** The service once `holds`; on timeout the error shows what it looked like. */
async function until(holds: (found: PlatformService) => boolean): Promise<PlatformService> {
  return eventually(async () => {
    const found = await service();
    if (holds(found)) return found;
    throw new Error(`Not yet: ${JSON.stringify(found, undefined, 2)}`);
  }, PATIENT);
}

/** A look of another service may come too late on a busy machine, and is made again. */
async function untilHealthy(): Promise<PlatformStatus> {
  return eventually(async () => {
    const found = platformStatusSchema.parse(await status());
    if (found.health === 'Healthy') return found;
    throw new Error(`Not yet: ${JSON.stringify(found.problems, undefined, 2)}`);
  }, PATIENT);
}

const states = ({ replicas }: PlatformService): string =>
  replicas
    .map(({ state }) => state)
    .sort()
    .join();

async function pidOf(name: string): Promise<number> {
  const { [name]: found } = await platform.processes();
  if (!found) throw new Error(`${name} does not run`);
  return found.pid;
}

/** Another process of the service with the settings of the one that runs, as somebody adds one. */
async function addReplica(): Promise<ChildProcess> {
  const pid = await pidOf(SERVICE);
  const read = async (file: string): Promise<string[]> =>
    (await readFile(`/proc/${pid}/${file}`, 'utf8')).split('\0').filter((word) => word !== '');
  const [command = '', ...args] = await read('cmdline');
  const settings = (await read('environ')).map((line): [string, string] => {
    const [name = '', value = ''] = line.split(/=(.*)/s);
    return [name, value];
  });
  const env = { ...Object.fromEntries(settings), CRATE_HEALTH_PORT: '0' };
  return spawn(command, args, { env, stdio: 'ignore' });
}

// One story on one platform.
describe('how a platform is', () => {
  it('is told to whoever asks, over the API and by the command line', async () => {
    const found = await untilHealthy();
    expect(found.services.map(({ name, state }) => `${name} ${state}`)).toEqual([
      ...['lifecycle Ready', 'cloud-mgmt Ready', 'cluster-mgmt Ready', 'policy-mgmt Ready'],
    ]);
    expect([found.postgres.length, found.nats.connected, found.problems]).toEqual([1, true, []]);
    await eventually(async () => {
      const text = await platform.crate('status', '--kubeconfig', platform.kubeconfigFile);
      expect(text).toMatch(/^Crate \S+ at https:\/\/\S+: Healthy\n/);
      expect(text).toMatch(/policy-mgmt +Ready +1\/1/);
    }, PATIENT);
  });

  it('holds who works on what while a cluster comes up, and nothing of it afterwards', async () => {
    const user = await CrateUser.of(platform);
    const demo = { namespace: 'team-a', name: 'demo' };
    await whileHeld(platform, { type: 'aws_vpc', action: 'create' }, async () => {
      await user.applyQuickstart();
      await eventually(async () => {
        const { leases, runs } = await service('cloud-mgmt');
        expect(runs).toContainEqual(expect.objectContaining({ program: 'terraform', ...demo, state: 'live' }));
        expect(leases).toContainEqual(expect.objectContaining({ kind: 'TerraformState', ...demo, state: 'live' }));
        expect(leases).toContainEqual(
          expect.objectContaining({ kind: 'Work', task: 'infrastructure', ...demo, state: 'live' }),
        );
      }, PATIENT);
    });
    await user.untilReady();
    await eventually(async () => {
      const { leases, runs } = await service('cloud-mgmt');
      expect([leases.filter(({ kind }) => kind === 'TerraformState'), runs]).toEqual([[], []]);
    }, PATIENT);
  });

  it('shows a service that is stuck as silent, does not wait for it, and sees it come back', async () => {
    const before = await until(({ state }) => state === 'Ready');
    const pid = await pidOf(SERVICE);
    resume = () => {
      process.kill(pid, 'SIGCONT');
      resume = () => undefined;
    };
    process.kill(pid, 'SIGSTOP');

    const silent = await until((found) => found.state === 'Silent' && states(found).includes('Silent'));
    expect(silent).toMatchObject({ answered: false, message: expect.stringMatching(/^No answer within/) });
    expect(silent.replicas.map(({ name, startedAt }) => [name, startedAt])).toEqual(
      before.replicas.map(({ name, startedAt }) => [name, startedAt]),
    );
    await eventually(async () => {
      const { health, problems, services } = await status();
      expect([health, problems.find(({ subject }) => subject === SERVICE)?.severity]).toEqual(['Failing', 'critical']);
      expect(services.filter(({ answered }) => answered)).toHaveLength(3);
    }, PATIENT);

    resume();
    const back = await until(({ state }) => state === 'Ready');
    expect([states(back), back.replicas[0]?.name]).toEqual(['Ready', before.replicas[0]?.name]);
  });

  it('shows a replica that is added, and that it ended in order', async () => {
    added = await addReplica();
    const name = new RegExp(`^${SERVICE}@.*:${added.pid}$`);
    const both = await until((found) => states(found) === 'Ready,Ready');
    expect(both.replicas.map((replica) => replica.name)).toContainEqual(expect.stringMatching(name));

    const ended = once(added, 'exit');
    added.kill('SIGTERM');
    await ended;
    const { replicas, state } = await until((found) => states(found) === 'Ready,Stopped');
    expect([state, replicas.find((replica) => replica.state === 'Stopped')?.name]).toEqual([
      'Ready',
      expect.stringMatching(name),
    ]);
  });

  it('keeps a replica that was killed, and tells it from the one that took its place', async () => {
    const pid = await pidOf(SERVICE);
    process.kill(pid, 'SIGKILL');
    const isOf = (replica: { readonly pid: number }): boolean => replica.pid === pid;
    const found = await until(
      ({ replicas, state }) => state === 'Ready' && replicas.some((each) => isOf(each) && each.state === 'Replaced'),
    );
    expect(found.replicas.some((replica) => !isOf(replica) && replica.state === 'Ready')).toBe(true);
    await untilHealthy();
  });
});
