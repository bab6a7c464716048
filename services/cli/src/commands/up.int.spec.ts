import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer, type AddressInfo } from 'node:net';
import { PROJECT, type Project } from '@crate/api';
import { eventually, freePort } from '@crate/testing';
import { ApiClient } from '../client/api-client.js';
import { crate, processesNaming, RunningCrate } from '../testing/crate.js';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import type { DataDir } from '../up/data-dir.js';
import type { RunRecord } from '../up/run-file.js';

// Longer than all waits of one test together: those say what they were for, and how far that had come.
jest.setTimeout(900_000);

// One service is enough to see a platform start and stop, and it is the one with the API.
const SMALL = ['--only', 'lifecycle', '--no-example'];
const onLinux = process.platform === 'linux' ? describe : describe.skip;

const dirs: DataDir[] = [];
let dir: DataDir;
beforeEach(async () => {
  dir = await newDir();
});
afterEach(async () => {
  for (const each of dirs.splice(0)) {
    await crate(['down', '--data-dir', each.root]);
    await removeDataDir(each);
  }
});

async function newDir(): Promise<DataDir> {
  const made = await temporaryDataDir();
  dirs.push(made);
  return made;
}

async function up(in_: DataDir, ...args: string[]): Promise<void> {
  const port = args.includes('--port') ? [] : ['--port', String(await freePort())];
  const given = await crate(['up', '--data-dir', in_.root, ...SMALL, '--detach', ...port, ...args]);
  expect(given).toMatchObject({ code: 0, stderr: '' });
}

async function recordOf(in_: DataDir): Promise<RunRecord> {
  return JSON.parse(await readFile(in_.runFile(), 'utf8')) as RunRecord;
}

const projectPath = (name: string): string => `/apis/${PROJECT.group}/${PROJECT.version}/projects/${name}`;

async function createProject(in_: DataDir, name: string): Promise<void> {
  const client = await ApiClient.fromKubeconfig(in_.adminKubeconfig());
  const apiVersion = `${PROJECT.group}/${PROJECT.version}`;
  await client.apply(projectPath(name), { apiVersion, kind: PROJECT.kind, metadata: { name }, spec: {} });
}

async function findProject(in_: DataDir, name: string): Promise<Project | undefined> {
  return (await ApiClient.fromKubeconfig(in_.adminKubeconfig())).find<Project>(projectPath(name));
}

async function untilNothingRuns(in_: DataDir): Promise<void> {
  await eventually(() => expect(processesNaming(in_.root)).toEqual([]));
}

onLinux('crate up --detach', () => {
  it('returns when the API is ready, and down leaves nothing but the data', async () => {
    await up(dir);
    await createProject(dir, 'kept');
    const status = await crate(['status', '--data-dir', dir.root, '-o', 'json']);
    expect(status.code).toBe(0);
    const { processes } = JSON.parse(status.stdout) as { processes: { name: string; pid: number }[] };
    expect(processes.map(({ name }) => name)).toEqual(['nats', 'sandbox', 'postgres', 'lifecycle']);

    const down = await crate(['down', '--data-dir', dir.root]);
    expect(down).toEqual({ code: 0, stdout: 'Stopped; the data is kept\n', stderr: '' });
    expect(processesNaming(dir.root)).toEqual([]);
    expect((await crate(['status', '--data-dir', dir.root])).code).toBe(3);

    const kubeconfig = await readFile(dir.adminKubeconfig(), 'utf8');
    const { apiUrl } = JSON.parse(status.stdout) as RunRecord;
    const again = await crate(['up', '--data-dir', dir.root, ...SMALL, '--detach']);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(await findProject(dir, 'kept')).toBeDefined();
    // Ports and authority stay, so that kubeconfigs which people copied still work; only the token is a new one.
    expect((await recordOf(dir)).apiUrl).toBe(apiUrl);
    const withoutToken = (text: string): string => text.replace(/token: .*/, '');
    expect(withoutToken(await readFile(dir.adminKubeconfig(), 'utf8'))).toBe(withoutToken(kubeconfig));
  });

  it('runs the database alone, which a backup is restored into and a recovery begun on', async () => {
    const given = await crate(['up', '--data-dir', dir.root, '--only', 'postgres', '--detach']);
    const file = join(dir.service('postgres'), 'database-url');
    expect(given).toMatchObject({ code: 0, stdout: expect.stringContaining(`by the URL in ${file}`), stderr: '' });
    expect(Object.keys((await recordOf(dir)).processes)).toEqual(['nats', 'postgres']);
    const begun = await crate(['recovery', 'begin', '--database-url-file', file]);
    // It is let in, and nothing was restored yet.
    expect(begun.stderr).toContain('has no installation of Crate in it');
  });

  it.each([
    { signal: 'SIGINT', code: 130 },
    { signal: 'SIGTERM', code: 143 },
  ] as const)(
    'ends as a shell has it at $signal while it starts, and leaves nothing behind',
    async ({ signal, code }) => {
      const running = RunningCrate.start(['up', '--data-dir', dir.root, ...SMALL, '--detach']);
      await eventually(() => readFile(dir.log('up'), 'utf8').then((text) => expect(text).toContain('Starting')));
      running.process.kill(signal);
      expect(await running.ended).toBe(code);
      await untilNothingRuns(dir);
    },
  );

  it('refuses a second one on the same directory and a port that is taken, and runs beside another one', async () => {
    const other = await newDir();
    await Promise.all([up(dir), up(other)]);
    for (const detach of [[], ['--detach']]) {
      const second = await crate(['up', '--data-dir', dir.root, ...SMALL, ...detach]);
      expect(second.code).toBe(4);
      expect(second.stderr).toContain(
        `Crate already runs on ${dir.root} (process ${(await recordOf(dir)).pid}, https://`,
      );
    }
    const third = await newDir();
    const port = new URL((await recordOf(dir)).apiUrl).port;
    for (const detach of [[], ['--detach']]) {
      const given = await crate(['up', '--data-dir', third.root, ...SMALL, '--port', port, ...detach]);
      expect(given.code).toBe(4);
      expect(given.stderr).toMatch(new RegExp(`Port ${port} is taken by .*\\(process \\d+\\).*another --port`));
    }
    expect(processesNaming(third.root)).toEqual([]);
    expect((await crate(['status', '--data-dir', dir.root])).code).toBe(0);

    await createProject(dir, 'here');
    expect(await findProject(dir, 'here')).toBeDefined();
    expect(await findProject(other, 'here')).toBeUndefined();
    await crate(['down', '--data-dir', dir.root]);
    expect((await crate(['status', '--data-dir', other.root])).code).toBe(0);
  });

  it('ends with 2 for a file that makes no sense, as in the foreground', async () => {
    const file = join(dir.root, 'broken.env');
    await writeFile(file, 'nonsense\n');
    for (const detach of [[], ['--detach']]) {
      const given = await crate(['up', '--data-dir', dir.root, ...SMALL, '--service-settings', file, ...detach]);
      expect(given).toMatchObject({ code: 2, stderr: expect.stringContaining('broken.env has a line without') });
    }
  });

  it('starts again whatever of it is killed', async () => {
    await up(dir);
    for (const name of ['lifecycle', 'postgres', 'nats', 'sandbox']) {
      const { pid } = (await recordOf(dir)).processes[name] ?? { pid: 0 };
      process.kill(pid, 'SIGKILL');
      await eventually(
        async () => {
          const now = (await recordOf(dir)).processes[name]?.pid;
          expect({ name, started: now !== 0 && now !== pid }).toEqual({ name, started: true });
          expect((await crate(['status', '--data-dir', dir.root])).code).toBe(0);
          await createProject(dir, `after-${name}`);
        },
        { timeoutMs: 120_000 },
      );
    }
  });
});

onLinux('crate up', () => {
  function start(...args: string[]): RunningCrate {
    return RunningCrate.start(['up', '--data-dir', dir.root, ...SMALL, ...args]);
  }

  it.each(['SIGINT', 'SIGTERM'] as const)('stops cleanly at %s, also when it comes twice', async (signal) => {
    const running = start();
    await eventually(() => running.stdout.includes('Ctrl-C stops everything'), { timeoutMs: 120_000 });
    process.kill(running.pid, signal);
    // npm and the terminal send it twice.
    process.kill(running.pid, signal);

    expect(await running.ended).toBe(0);
    expect(running.stdout).toContain('Stopping; the data is kept');
    expect(processesNaming(dir.root)).toEqual([]);
  });

  it.each(['Starting postgres', 'Starting nats', 'Starting lifecycle'])('stops as cleanly at "%s"', async (line) => {
    // Nobody listens there: it does not become ready, however late it is stopped.
    const settings = join(dir.root, 'nowhere.env');
    await writeFile(settings, 'CRATE_NATS_URL=nats://127.0.0.1:1\n');
    const running = start('--service-settings', settings);
    await eventually(() => running.stdout.includes(line), { timeoutMs: 120_000 });
    process.kill(running.pid, 'SIGINT');

    expect(await running.ended).toBe(0);
    expect(running.stdout).toContain('Stopped before it was ready');
    expect(processesNaming(dir.root)).toEqual([]);
    expect((await crate(['status', '--data-dir', dir.root])).code).toBe(3);
  });

  it('takes everything with it when it is killed, and starts on the same data and ports, at once as well', async () => {
    const running = start();
    await eventually(() => running.stdout.includes('Ctrl-C stops everything'), { timeoutMs: 120_000 });
    await createProject(dir, 'kept');
    process.kill(running.pid, 'SIGKILL');
    await untilNothingRuns(dir);

    expect((await crate(['status', '--data-dir', dir.root])).code).toBe(3);
    expect((await crate(['down', '--data-dir', dir.root])).code).toBe(0);
    const again = ['up', '--data-dir', dir.root, ...SMALL, '--detach'];
    expect((await crate(again)).code).toBe(0);
    expect(await findProject(dir, 'kept')).toBeDefined();

    // Nobody waits until what belonged to it is gone.
    const { pid, apiUrl } = await recordOf(dir);
    process.kill(pid, 'SIGKILL');
    const { code } = await crate([...again, '--port', new URL(apiUrl).port]);
    expect([code, (await recordOf(dir)).apiUrl]).toEqual([0, apiUrl]);
  });

  it('starts where another one was killed in the middle of the first start, and where its usual port is taken', async () => {
    const running = start();
    await eventually(() => running.stdout.includes('Starting postgres'), { timeoutMs: 120_000 });
    process.kill(running.pid, 'SIGKILL');
    await untilNothingRuns(dir);

    const holder = createServer();
    const isHeld = await new Promise<boolean>((resolve) => {
      holder.once('error', () => resolve(false)); // Somebody else holds it, which is as good.
      holder.listen(6440, '127.0.0.1', () => resolve(true));
    });
    const given = await crate(['up', '--data-dir', dir.root, ...SMALL, '--detach']);
    expect(given.code).toBe(0);
    expect((await recordOf(dir)).apiUrl).not.toContain(':6440');
    if (isHeld) expect((holder.address() as AddressInfo).port).toBe(6440);
    await new Promise((resolve) => holder.close(resolve));
  });
});
