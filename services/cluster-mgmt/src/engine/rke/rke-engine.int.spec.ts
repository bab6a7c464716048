import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Progress } from '@crate/api';
import { PlatformError, unavailable } from '@crate/errors';
import { currentEntries, parseKubeconfig } from '@crate/kubernetes';
import { identifyProcess, observeProcessGroup } from '@crate/process';
import { InMemoryLogParts, RunLogs } from '@crate/run-log';
import { InMemorySecretStore, type SecretFacts, type SecretStore } from '@crate/secrets';
import { InMemoryLogger, InMemoryMetrics } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { newSshKeyPair } from '../../ssh/ssh-key-pair.js';
import { nodesOf, parseRkeState } from '../../engine-state/rke-state.js';
import { anRkeState } from '../../testing/an-rke-state.js';
import { machineSpec } from '../../testing/builders.js';
import { FakeRke } from '../../testing/fake-rke.js';
import type { EngineTask } from '../cluster-engine.js';
import { hashEngineTask } from '../engine-config.js';
import { engineLiveness } from '../engine-liveness.js';
import { InMemoryEngineRunRepository } from '../in-memory-engine-run.repository.js';
import { rkeConfig } from './rke-config.js';
import { RkeEngine } from './rke-engine.js';
import { RkeWorkspace } from './rke-workspace.js';

const UID = 'uid-demo';
const config = rkeConfig(machineSpec(), { sshUser: 'ubuntu' });
const [, worker] = machineSpec().nodes.map(({ address }) => address) as [string, string];
const key = newSshKeyPair('crate-demo');

/** What the engine says of a machine that it has logged in to. */
const WITHOUT_DOCKER = `
  echo 'WARN[0000] Failed to set up SSH tunneling for host [${machineSpec().nodes[0]?.address}]: Unable to access the service on /var/run/docker.sock.'
  echo 'FATA[0000] Cluster must have at least one etcd plane host: failed to connect to the following etcd host(s) [x]'
  exit 1`;

let rke: FakeRke;
let runs: InMemoryEngineRunRepository;
let aheadMs: number;
let elapsedMs: number;
let keepTryingMs: number;
let logs: RunLogs;
let secrets: InMemorySecretStore;
let engine: RkeEngine;
let progress: Progress[];
let metrics: InMemoryMetrics;

beforeEach(async () => {
  rke = await FakeRke.create();
  [aheadMs, elapsedMs, keepTryingMs] = [0, 0, 60_000];
  // No pause of the machine makes a run older.
  const begun = Date.now();
  runs = new InMemoryEngineRunRepository(() => new Date(begun + aheadMs));
  logs = new RunLogs({ parts: new InMemoryLogParts(), logger: new InMemoryLogger(), keepRuns: 3 });
  secrets = new InMemorySecretStore();
  progress = [];
  metrics = new InMemoryMetrics();
  await secrets.put(UID, 'ssh-private-key', Buffer.from(key.privateKey));
  engine = openEngine();
});
afterEach(() => rke.remove());

function openEngine(): RkeEngine {
  const { binary } = rke;
  const workspaceRoot = (): Promise<string> => Promise.resolve(rke.workspaceRoot);
  const path = process.env['PATH'] ?? '';
  const logger = new InMemoryLogger();
  return new RkeEngine({
    runs,
    logs,
    secrets,
    logger,
    metrics,
    binary,
    path,
    workspaceRoot,
    timeoutMs: 60_000,
    graceMs: 200,
    keepTryingMs,
    liveness: engineLiveness(runs, { leaseMs: 12_000, graceMs: 200 }, () => elapsedMs),
  });
}

/** Time passes for the database and for this process alike. */
function pass(ms: number): void {
  aheadMs += ms;
  elapsedMs += ms;
}

function task(options: Partial<EngineTask> = {}): EngineTask {
  const { signal } = new AbortController();
  const onProgress = (next: Progress): void => void progress.push(next);
  return { clusterUid: UID, config, server: 'https://lb:6443', epoch: 1n, signal, onProgress, ...options };
}

/** Of a run that has made nodes of these machines. */
function stateOf(addresses: readonly string[]): string {
  const nodes = addresses.map((address) => ({ address }));
  return Buffer.from(anRkeState({ nodes: [], settings: { nodes } })).toString();
}

async function stored(kind: string): Promise<string | undefined> {
  const found = await secrets.find(UID, kind);
  return found && Buffer.from(found.plain).toString('utf8');
}

async function leftovers(): Promise<string[]> {
  return readdir(rke.workspaceRoot).catch(() => []);
}

describe('what a person has put in place', () => {
  it('is not applied until a run has succeeded with it, and does not undo a removal', async () => {
    await rke.installSuccess();
    await engine.up(task());
    const edit = (): Promise<void> =>
      runs.edit(
        UID,
        () => Promise.resolve(),
        () => Promise.resolve(),
      );
    await edit();
    expect(await engine.observe(UID)).toMatchObject({
      ...{ appliedHash: undefined, appliedGeneration: undefined },
      ...{ wasStarted: true, isRemoving: false },
    });
    expect(await engine.appliedConfig(UID)).toBeUndefined();
    await engine.up(task({ epoch: 2n, generation: 5, drains: true }));
    expect(await engine.appliedConfig(UID)).toEqual(config);
    expect(await engine.observe(UID)).toMatchObject({
      appliedHash: hashEngineTask(task()),
      appliedGeneration: 5,
      isBetweenVersions: false,
    });

    await engine.remove(task({ epoch: 3n }));
    await edit();
    expect(await engine.observe(UID)).toMatchObject({ isRemoved: true, isRemoving: true });
  });
});

describe('a run that leaves machines out', () => {
  const names = (state: string | undefined): unknown =>
    nodesOf(parseRkeState(Buffer.from(state ?? ''))?.currentState ?? {}).map((node) => node['hostnameOverride']);
  const written = (reached: readonly string[]): string => {
    const [all, some] = [['a', 'b'], reached].map(
      (nodes) => JSON.parse(Buffer.from(anRkeState({ nodes })).toString()) as Record<string, unknown>,
    );
    return JSON.stringify({ ...all, currentState: some?.['currentState'] });
  };

  it('hands them on to the next run, which would not remove what it does not know of', async () => {
    await rke.installSuccess(written(['a', 'b']));
    await engine.up(task());
    await rke.installSuccess(written(['a']));
    await engine.up(task({ epoch: 2n }));

    await rke.install('cp cluster.rkestate $out/given');
    await engine.up(task({ epoch: 3n }));
    expect(names(await readFile(rke.file('given'), 'utf8'))).toEqual(['a', 'b']);
  });

  it('hands them on when its service died, too', async () => {
    await rke.installSuccess(written(['a', 'b']));
    await engine.up(task());
    const workspace = join(rke.workspaceRoot, 'died');
    await runs.open({ id: 'died', clusterUid: UID, kind: 'up', configHash: 'h', epoch: 2n, workspace });
    await mkdir(workspace, { recursive: true });
    await writeFile(join(workspace, 'cluster.rkestate'), written(['a']));
    await engine.settleEarlierRuns(UID, 3n);
    expect(names(await stored('rke-state'))).toEqual(['a', 'b']);
  });
});

describe('labels and taints', () => {
  const [old, wanted] = ['a', 'b'].map((value) => [{ key: 'only', value, effect: 'NoSchedule' }]);
  const written = (taints: unknown): string =>
    Buffer.from(anRkeState({ settings: { nodes: [{ address: worker, taints }] } })).toString();
  const taintsIn = (state: string | undefined): unknown =>
    nodesOf(parseRkeState(Buffer.from(state ?? ''))?.currentState ?? {}).map(({ taints }) => taints);
  const synced = `echo 'INFO[0009] [sync] Successfully synced nodes Labels and Taints'`;
  const away = `echo 'FATA[0009] cannot proceed with upgrade of worker since 1 host(s) cannot be reached prior to upgrade'; exit 1`;
  const write = (taints: unknown): string => `echo '${written(taints)}' > cluster.rkestate`;

  it('are to the next run as nodes have them when one fails before it has put them on', async () => {
    await rke.install(`${write(old)}; ${synced}`);
    await engine.up(task());
    await rke.install(`${write(wanted)}; ${away}`);
    await expect(engine.up(task({ epoch: 2n }))).rejects.toMatchObject({ details: { reason: 'SshUnreachable' } });

    await rke.install(`cp cluster.rkestate $out/given; ${write(wanted)}; ${synced}`);
    await engine.up(task({ epoch: 3n }));
    expect(taintsIn(await readFile(rke.file('given'), 'utf8'))).toEqual([old]);
    expect(taintsIn(await stored('rke-state'))).toEqual([wanted]);
  });

  it('are as nodes have them, too, where the service died before the run had put them on', async () => {
    await rke.install(`${write(old)}; ${synced}`);
    await engine.up(task());
    const workspace = join(rke.workspaceRoot, 'died');
    await runs.open({ id: 'died', clusterUid: UID, kind: 'up', configHash: 'h', epoch: 2n, workspace });
    await mkdir(workspace, { recursive: true });
    await writeFile(join(workspace, 'cluster.rkestate'), written(wanted));
    await engine.settleEarlierRuns(UID, 3n);
    expect(taintsIn(await stored('rke-state'))).toEqual([old]);
  });

  it('are taken for put on as soon as the engine says so, though it fails afterwards', async () => {
    await rke.install(`${write(wanted)}; until [ -e $out/go ]; do sleep 0.05; done; ${synced}; exit 1`);
    const running = engine.up(task()).catch(() => undefined);
    await eventually(async () => expect(taintsIn(await stored('rke-state'))).toEqual([undefined]));
    await writeFile(rke.file('go'), '');
    await running;
    expect(taintsIn(await stored('rke-state'))).toEqual([wanted]);
  });
});

describe('a run that succeeds', () => {
  it('gives the engine its files, keeps what it made, and leaves nothing on disk', async () => {
    await rke.installSuccess();
    await engine.up(task());

    expect(await stored('rke-state')).toBe('{"serial":1}\n');
    const kubeconfig = parseKubeconfig((await stored('kubeconfig')) ?? '');
    expect(currentEntries(kubeconfig)).toEqual({ cluster: { server: 'https://lb:6443' }, user: { token: 't' } });
    expect(await leftovers()).toEqual([]);
    expect(await engine.observe(UID)).toEqual({
      stateSerial: 1,
      appliedHash: hashEngineTask(task()),
      wasStarted: true,
      hasReachedMachines: true,
      isRemoved: false,
      isRemoving: false,
      isBetweenVersions: false,
    });
    expect(metrics.observed('crate_engine_run_seconds', { kind: 'up', outcome: 'Succeeded' })).toHaveLength(1);
    expect(progress.map(({ message }) => message)).toEqual([
      'Starting the engine',
      'Preparing certificates',
      'Kubernetes is up',
    ]);
  });

  it('is kept as that where the database is away for a moment as it ends', async () => {
    await rke.installSuccess();
    const [put, close] = [secrets.put.bind(secrets), runs.close.bind(runs)];
    const away = [1, 2, 3].map(() => unavailable('The database is away'));
    secrets.put = (...given) =>
      given[1] === 'kubeconfig' && away.length > 1 ? Promise.reject(away.pop()!) : put(...given);
    runs.close = (...given) => (away.length > 0 ? Promise.reject(away.pop()!) : close(...given));
    await engine.up(task());

    expect(away).toEqual([]);
    expect(await runs.list(UID)).toMatchObject([{ state: 'succeeded' }]);
    expect(await engine.observe(UID)).toMatchObject({ appliedHash: hashEngineTask(task()), hasReachedMachines: true });
    expect(await leftovers()).toEqual([]);
  });

  it('keeps holders from before from putting another state in place once it has taken up the stored one', async () => {
    await rke.installSuccess();
    await engine.up(task());
    await engine.up(task({ epoch: 3n }));

    const late = secrets.put(UID, 'rke-state', Buffer.from('{"serial":0}'), { epoch: 2n });
    await expect(late).rejects.toMatchObject({ code: 'Conflict' });
  });

  it('lets as many more workers be away as are silent already, which makes it no other work', async () => {
    await rke.installSuccess(stateOf([worker]));
    await engine.up(task());
    await rke.install('cp cluster.yml $out/seen');
    await engine.up(task({ silentWorkers: [worker] }));

    expect(await readFile(rke.file('seen'), 'utf8')).toMatch(/max_unavailable_worker: .?2.?\n/);
    expect((await runs.list(UID))[0]?.configHash).toBe(hashEngineTask(task()));
  });

  it('counts no worker as away that may be in its first boot', async () => {
    const away = async (): Promise<boolean> => {
      await engine.up(task({ silentWorkers: [worker] })).catch(() => undefined);
      return /max_unavailable_worker: .?2.?\n/.test(await readFile(rke.file('seen'), 'utf8'));
    };
    await rke.install('cp cluster.yml $out/seen; exit 1');
    expect(await away()).toBe(false);

    aheadMs += 480_000;
    expect(await away()).toBe(true);
  });

  it('runs with a key that nobody else may read, and with no secret in its arguments or environment', async () => {
    await rke.install(`echo "$@" > $out/args; env > $out/env; stat -c '%a %n' . * > $out/modes; cp ssh-key $out/key`);
    await engine.up(task());

    expect(await readFile(rke.file('key'), 'utf8')).toBe(key.privateKey);
    expect(await readFile(rke.file('modes'), 'utf8')).toBe('700 .\n600 cluster.yml\n600 ssh-key\n');
    expect(await readFile(rke.file('args'), 'utf8')).toMatch(/^up --config \S+\/cluster\.yml\n$/);
    const environment = (await readFile(rke.file('env'), 'utf8')).split('\n').map((line) => line.split('=')[0]);
    expect(environment.filter((name) => name?.startsWith('CRATE'))).toEqual([]);
  });

  it('keeps a log that shows no key, even of an engine that prints it', async () => {
    await rke.install('cat ssh-key; echo INFO[0000] done');
    await engine.up(task());
    const isOver = (): Promise<boolean> => Promise.resolve(true);
    const { text: log } = await logs.read(UID, { query: {}, waitMs: 0, isOver });

    expect(log).toMatch(/^=== rke up, run [0-9a-f-]+\n(.*\n)+done\n=== run succeeded\n$/);
    for (const line of key.privateKey.split('\n').filter((each) => each.length > 20 && !each.startsWith('-----'))) {
      expect(log).not.toContain(line);
    }
  });

  it('goes on from the state of the run before', async () => {
    await rke.installSuccess('{"serial":1}');
    await engine.up(task());
    await rke.install('cp cluster.rkestate $out/restored; echo \'{"serial":2}\' > cluster.rkestate');
    await engine.up(task());

    expect(await readFile(rke.file('restored'), 'utf8')).toBe('{"serial":1}\n');
    expect(await engine.observe(UID)).toMatchObject({ stateSerial: 2 });
  });

  it('stores the state while the engine still works', async () => {
    await rke.install(`echo '{"serial":1}' > cluster.rkestate; until [ -e $out/go ]; do sleep 0.05; done`);
    const running = engine.up(task());
    await eventually(async () => expect(await stored('rke-state')).toBe('{"serial":1}\n'));
    await writeFile(rke.file('go'), '');
    await running;
  });

  it('does not store half a state', async () => {
    await rke.install(
      `printf '{"serial":' > cluster.rkestate; until [ -e $out/go ]; do sleep 0.05; done; echo '1}' >> cluster.rkestate`,
    );
    const running = engine.up(task());
    await eventually(async () => expect((await runs.list(UID))[0]?.identity).toBeDefined());
    await writeFile(rke.file('go'), '');
    await running;

    expect(await secrets.versions(UID, 'rke-state')).toHaveLength(1);
  });

  it('removes without asking back', async () => {
    await rke.install('echo "$@" > $out/args');
    await engine.remove(task());

    expect(await readFile(rke.file('args'), 'utf8')).toMatch(/^remove --force --config /);
    expect(await engine.observe(UID)).toMatchObject({ isRemoved: true, isRemoving: true, appliedHash: undefined });
  });
});

describe('a run that fails', () => {
  it('keeps the state it got to, says why, and counts as not applied', async () => {
    await rke.install(`echo '{"serial":1}' > cluster.rkestate
      echo 'FATA[0002] failed to connect to the following etcd host(s) [10.20.0.10]'; exit 1`);

    await expect(engine.up(task())).rejects.toMatchObject({ details: { reason: 'SshUnreachable' } });
    expect(await stored('rke-state')).toBe('{"serial":1}\n');
    expect(await leftovers()).toEqual([]);
    expect(metrics.observed('crate_engine_run_seconds', { kind: 'up', outcome: 'SshUnreachable' })).toHaveLength(1);
    expect(await engine.observe(UID)).toMatchObject({
      stateSerial: 1,
      appliedHash: undefined,
      wasStarted: true,
      hasReachedMachines: false,
    });
  });

  it('may leave nodes between two versions where it drained them, also when a person changes what the next begins with', async () => {
    await rke.install('exit 1');
    await expect(engine.up(task())).rejects.toThrow();
    expect(await engine.observe(UID)).toMatchObject({ isBetweenVersions: false });
    await expect(engine.up(task({ epoch: 2n, drains: true }))).rejects.toThrow();
    expect(await engine.observe(UID)).toMatchObject({ isBetweenVersions: true });

    const nothing = (): Promise<void> => Promise.resolve();
    await runs.edit(UID, nothing, nothing);
    expect(await engine.observe(UID)).toMatchObject({ isBetweenVersions: true });
  });

  it('leaves nodes between two versions until one succeeds, also where an older release fails in between', async () => {
    await rke.install('exit 1');
    await expect(engine.up(task({ drains: true }))).rejects.toThrow();
    await expect(engine.up(task({ epoch: 2n }))).rejects.toThrow();
    expect(await engine.observe(UID)).toMatchObject({ isBetweenVersions: true });

    await rke.install('exit 0');
    await engine.up(task({ epoch: 3n, drains: true }));
    await rke.install('exit 1');
    await expect(engine.up(task({ epoch: 4n }))).rejects.toThrow();
    expect(await engine.observe(UID)).toMatchObject({ isBetweenVersions: false });
  });

  it('tells machines without Docker in their first boot from those that should have it', async () => {
    await rke.install(WITHOUT_DOCKER);
    await expect(engine.up(task())).rejects.toMatchObject({ details: { reason: 'FirstBoot' } });
    expect(metrics.observed('crate_engine_run_seconds', { kind: 'up', outcome: 'FirstBoot' })).toHaveLength(1);

    aheadMs += 480_000;
    await expect(engine.up(task())).rejects.toMatchObject({ details: { reason: 'DockerNotReady' } });
    const other = task({ config: { ...config, prefix_path: '/other' } });
    await expect(engine.up(other)).rejects.toMatchObject({ details: { reason: 'FirstBoot' } });
    await expect(engine.remove(task())).rejects.toMatchObject({ details: { reason: 'DockerNotReady' } });
  });

  it('waits for no first boot of a machine that is a node', async () => {
    const [{ address } = { address: '' }] = machineSpec().nodes;
    await rke.installSuccess(stateOf([address]));
    await engine.up(task());

    await rke.install(WITHOUT_DOCKER);
    const upgrade = task({ config: { ...config, prefix_path: '/other' }, epoch: 2n });
    await expect(engine.up(upgrade)).rejects.toMatchObject({ details: { reason: 'DockerNotReady' } });
  });

  it('takes etcd for lost whatever a worker says', async () => {
    await rke.installSuccess(stateOf(machineSpec().nodes.map(({ address }) => address)));
    await engine.up(task());

    await rke.install(`
      echo 'WARN[0000] Failed to set up SSH tunneling for host [${worker}]: ssh: unable to authenticate'
      echo 'FATA[0000] Failed to reconcile etcd plane: Etcd plane nodes are replaced.'
      exit 1`);
    await expect(engine.up(task({ epoch: 2n }))).rejects.toMatchObject({ details: { reason: 'EtcdLost' } });
  });

  it.each(['Tampered', 'RolledBack', 'Foreign'])(
    'names a stored state that is %s, and begins nothing',
    async (what) => {
      await rke.install('touch $out/ran');
      const find = secrets.find.bind(secrets);
      const damage = new PlatformError('Invariant', 'Damaged', { details: { reason: `Secret${what}` } });
      secrets.find = (uid, kind) => (kind === 'rke-state' ? Promise.reject(damage) : find(uid, kind));

      await expect(engine.up(task())).rejects.toMatchObject({
        code: 'Unavailable',
        retry: 'slow',
        details: { reason: `State${what}`, remedy: expect.stringContaining('crate state restore') },
      });
      await expect(stat(rke.file('ran'))).rejects.toMatchObject({ code: 'ENOENT' });
      await expect(engine.verifyState(UID)).rejects.toMatchObject({ details: { reason: `State${what}` } });
    },
  );

  it('says so when the program is not installed, and has started nothing', async () => {
    await expect(engine.up(task())).rejects.toMatchObject({ details: { reason: 'EngineNotFound' } });
    expect(await engine.observe(UID)).toMatchObject({ wasStarted: false });
  });

  it('is ended with its children by the signal', async () => {
    await rke.install('trap "" TERM; echo $$ > $out/pid; while true; do sleep 0.05; done');
    const stop = new AbortController();
    const running = engine.up(task({ signal: stop.signal }));
    await eventually(() => readFile(rke.file('pid')));
    const [run] = await runs.list(UID);
    stop.abort();

    await expect(running).rejects.toMatchObject({ details: { reason: 'Timeout' } });
    expect(await observeProcessGroup(run!.identity!)).toBe('gone');
  });

  it('is ended when another host has taken it for dead', async () => {
    await rke.install('echo $$ > $out/pid; while true; do sleep 0.05; done');
    const running = engine.up(task());
    await eventually(() => readFile(rke.file('pid')));
    const [run] = await runs.list(UID);
    await runs.close(run!.id, 'abandoned');

    await expect(running).rejects.toMatchObject({ details: { reason: 'Timeout' } });
    expect(await observeProcessGroup(run!.identity!)).toBe('gone');
  });

  it('is not begun by a pass that was overtaken', async () => {
    await rke.installSuccess();
    await engine.up(task({ epoch: 2n }));

    await expect(engine.up(task({ epoch: 1n }))).rejects.toMatchObject({ code: 'Conflict' });
  });
});

describe('a run whose folder cannot be removed', () => {
  const cannot = (): unknown => jest.spyOn(RkeWorkspace.prototype, 'remove').mockRejectedValueOnce(new Error('busy'));

  it('has succeeded all the same', async () => {
    await rke.installSuccess();
    cannot();
    await engine.up(task());
    expect((await runs.list(UID))[0]?.state).toBe('succeeded');
  });

  it('says what it failed of', async () => {
    await rke.install(WITHOUT_DOCKER);
    cannot();
    await expect(engine.up(task())).rejects.not.toThrow('busy');
    expect((await runs.list(UID))[0]?.state).toBe('failed');
  });
});

describe('taking over', () => {
  it('keeps run and folder open when the state could not be stored, and saves it later', async () => {
    await rke.installSuccess();
    const put = secrets.put.bind(secrets);
    secrets.put = () => Promise.reject(unavailable('The database is away'));
    keepTryingMs = 0;
    const details = { reason: 'RunNotClosed', remedy: expect.any(String) };
    await expect(openEngine().up(task())).rejects.toMatchObject({ code: 'Unavailable', details });
    expect(await leftovers()).toHaveLength(1);
    secrets.put = put;

    await openEngine().settleEarlierRuns(UID, 2n);
    expect(await stored('rke-state')).toBe('{"serial":1}\n');
    expect(await leftovers()).toEqual([]);
    expect((await runs.list(UID))[0]?.state).toBe('abandoned');
  });

  it('ends the engine of a service that died, and keeps the state it left', async () => {
    const workspace = join(rke.workspaceRoot, 'old');
    await mkdir(workspace, { recursive: true });
    await writeFile(join(workspace, 'cluster.rkestate'), '{"serial":7}');
    const orphan = spawn('/bin/sh', ['-c', 'trap "" INT; while true; do sleep 0.05; done'], {
      detached: true,
      stdio: 'ignore',
    });
    await runs.open({ id: 'old', clusterUid: UID, kind: 'up', configHash: 'h', epoch: 1n, workspace });
    const identity = (await identifyProcess(orphan.pid!))!;
    await runs.saveIdentity('old', identity);

    await engine.settleEarlierRuns(UID, 2n);
    expect(await observeProcessGroup(identity)).toBe('gone');
    expect(await stored('rke-state')).toBe('{"serial":7}');
    await expect(stat(workspace)).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await runs.list(UID))[0]).toMatchObject({ state: 'abandoned' });
    expect(await engine.observe(UID)).toMatchObject({ appliedHash: undefined, wasStarted: true });
  });

  describe('that left a state behind when it died', () => {
    const restore = (put: SecretStore['put']): Promise<number> =>
      runs.edit(
        UID,
        () => Promise.resolve(),
        (epoch) => put(UID, 'rke-state', Buffer.from('{"serial":3}'), { epoch, facts: () => ({ restored: 1 }) }),
      );

    beforeEach(async () => {
      const workspace = join(rke.workspaceRoot, 'old');
      await mkdir(workspace, { recursive: true });
      await writeFile(join(workspace, 'cluster.rkestate'), '{"serial":7}');
      await runs.open({ id: 'old', clusterUid: UID, kind: 'up', configHash: 'h', epoch: 1n, workspace });
    });

    it('does not have it written over what a person has put in place since', async () => {
      await restore(secrets.put.bind(secrets));

      await engine.settleEarlierRuns(UID, 2n);
      expect(await stored('rke-state')).toBe('{"serial":3}');
      expect(await leftovers()).toEqual([]);
      expect((await runs.list(UID)).map(({ state }) => state)).toEqual(['abandoned', 'abandoned']);
    });

    it('does not have it written over what a person puts in place at the same time', async () => {
      const put = secrets.put.bind(secrets);
      secrets.put = async (...given) => {
        secrets.put = put;
        await restore(put);
        return put(...given);
      };

      await expect(engine.settleEarlierRuns(UID, 2n)).rejects.toMatchObject({ code: 'Conflict' });
      await engine.settleEarlierRuns(UID, 3n);
      expect(await stored('rke-state')).toBe('{"serial":3}');
      expect(await leftovers()).toEqual([]);
    });

    it('has it kept where a restore died before it put anything in place', async () => {
      await expect(restore(() => Promise.reject(unavailable('The database does not answer')))).rejects.toThrow();

      await engine.settleEarlierRuns(UID, 3n);
      expect(await stored('rke-state')).toBe('{"serial":7}');
    });

    it('has it kept where it began with what a person had put in place', async () => {
      const facts = (): SecretFacts => ({ restored: 1 });
      await secrets.put(UID, 'rke-state', Buffer.from('{"serial":3}'), { epoch: 1n, facts });

      await engine.settleEarlierRuns(UID, 2n);
      expect(await stored('rke-state')).toBe('{"serial":7}');
    });
  });

  it('waits for a run of another host until its lease and its grace are over for certain', async () => {
    const workspace = join(rke.workspaceRoot, 'there');
    await runs.open({ id: 'there', clusterUid: UID, kind: 'up', configHash: 'h', epoch: 1n, workspace });
    await runs.saveIdentity('there', { pid: 1, pgid: 1, startTime: '1', bootId: 'b', host: 'another' });
    const settle = (): Promise<void> => engine.settleEarlierRuns(UID, 2n);
    const refused = { code: 'Unavailable', details: { reason: 'EarlierRunAlive' } };

    pass(15_000);
    await expect(settle()).rejects.toMatchObject(refused);
    await runs.heartbeat('there');
    pass(15_000);
    await expect(settle()).rejects.toMatchObject(refused);
    expect((await runs.list(UID))[0]?.state).toBe('running');

    pass(3_000);
    await settle();
    expect((await runs.list(UID))[0]?.state).toBe('abandoned');
  });

  it('takes no run of another host for dead because the clock of the database jumps, until it had the time to be', async () => {
    await rke.installSuccess();
    // Of a service that has run the engine before.
    await engine.up(task());
    const workspace = join(rke.workspaceRoot, 'there');
    await runs.open({ id: 'there', clusterUid: UID, kind: 'up', configHash: 'h', epoch: 2n, workspace });
    await runs.saveIdentity('there', { pid: 1, pgid: 1, startTime: '1', bootId: 'b', host: 'another' });

    aheadMs += 600_000;
    const settle = (): Promise<void> => engine.settleEarlierRuns(UID, 3n);
    await expect(settle()).rejects.toMatchObject({ details: { reason: 'EarlierRunAlive' } });
    pass(16_200);
    await settle();
    expect((await runs.list(UID))[0]).toMatchObject({ id: 'there', state: 'abandoned' });
  });

  it('closes a run that never started', async () => {
    await runs.open({ id: 'old', clusterUid: UID, kind: 'up', configHash: 'h', epoch: 1n, workspace: '/nowhere' });
    await engine.settleEarlierRuns(UID, 2n);

    expect((await runs.list(UID))[0]?.state).toBe('abandoned');
  });
});
