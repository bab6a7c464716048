import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureProcessGroupGone, observeProcessGroup, runProcess, type ProcessIdentity } from './index.js';
import type { ProcessOptions } from './run-process.js';

const PATH = '/usr/local/bin:/usr/bin:/bin';
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-process-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

function shell(script: string, options: Partial<ProcessOptions> = {}): ProcessOptions {
  return { command: 'sh', args: ['-c', script], cwd: directory, env: { PATH }, ...options };
}

/** Polls instead of sleeping for a guessed time. */
async function until(check: () => Promise<boolean> | boolean, withinMs = 60_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error('The condition did not come true in time');
    await sleep(20);
  }
}

const exists = (name: string): Promise<boolean> =>
  readFile(join(directory, name)).then(
    () => true,
    () => false,
  );

describe('runProcess', () => {
  it('puts the program, and what it starts, behind who started it', async () => {
    const lines: string[] = [];
    await runProcess(
      shell('cut -d" " -f19 "/proc/$$/stat"; cut -d" " -f19 /proc/self/stat', {
        onLine: (_, line) => lines.push(line.trim()),
      }),
    );
    const own = getPriority();

    expect(lines.map(Number)).toEqual([Math.min(own + 5, 19), Math.min(own + 5, 19)]);
  });

  it('streams lines of both outputs and gives the exit code', async () => {
    const lines: string[] = [];
    const result = await runProcess(
      shell('echo one; echo two >&2; printf three; exit 3', {
        onLine: (stream, line) => lines.push(`${stream}:${line}`),
      }),
    );

    expect(lines.sort()).toEqual(['stderr:two', 'stdout:one', 'stdout:three']);
    expect(result).toMatchObject({ exitCode: 3, signal: undefined, stoppedBy: undefined });
  });

  it('passes no variable on that was not stated', async () => {
    const lines: string[] = [];
    await runProcess(shell('env', { env: { PATH, GIVEN: 'yes' }, onLine: (_, line) => lines.push(line) }));

    const names = lines
      .map((line) => line.split('=')[0])
      .filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name ?? ''));
    expect(names.sort()).toEqual(['GIVEN', 'PATH']);
  });

  it('redacts before anyone sees a line', async () => {
    const lines: string[] = [];
    await runProcess(
      shell('echo token=s3cret-value', { redact: ['s3cret-value'], onLine: (_, line) => lines.push(line) }),
    );

    expect(lines).toEqual(['token=[redacted]']);
  });

  it('gives the program no input', async () => {
    await expect(runProcess(shell('read -r x'))).resolves.toMatchObject({ exitCode: 1 });
  });

  it('says which signal ended the program', async () => {
    await expect(runProcess(shell('kill -KILL $$'))).resolves.toMatchObject({ exitCode: undefined, signal: 'SIGKILL' });
  });

  it('throws NotFound for a program that does not exist', async () => {
    await expect(runProcess(shell('', { command: 'no-such-program' }))).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('throws Unavailable with the reason when it cannot be started', async () => {
    const options = shell('true', { cwd: join(directory, 'missing') });

    await expect(runProcess(options)).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('Program cannot be started: ENOENT'),
      cause: expect.objectContaining({ code: 'ENOENT' }),
    });
  });

  it('does not let the program begin before onStart is done, nor when it fails', async () => {
    const seen: boolean[] = [];
    await runProcess(
      shell('touch began', {
        onStart: async () => {
          await sleep(100);
          seen.push(await exists('began'));
        },
      }),
    );
    expect(seen).toEqual([false]);

    await rm(join(directory, 'began'));
    const failing = shell('touch began', { onStart: () => Promise.reject(new Error('Database is down')) });
    await expect(runProcess(failing)).rejects.toThrow('Database is down');
    expect(await exists('began')).toBe(false);
  });

  // A program that is asked before it has set its traps just ends, so each is asked once it said that it is ready.
  it('lets the program finish in the grace time when the signal aborts', async () => {
    const controller = new AbortController();
    const script = 'trap "echo saved > state; exit 7" TERM; echo ready; while :; do sleep 0.05; done';
    const onLine = (): void => controller.abort();
    const result = await runProcess(shell(script, { signal: controller.signal, onLine, graceMs: 60_000 }));

    expect(result).toMatchObject({ exitCode: 7, stoppedBy: 'abort' });
    expect(await exists('state')).toBe(true);
  });

  it('asks the program to stop when its time is over', async () => {
    const result = await runProcess(shell('while :; do sleep 0.05; done', { timeoutMs: 300, graceMs: 60_000 }));

    expect(result).toMatchObject({ signal: 'SIGTERM', stoppedBy: 'timeout' });
  });

  it('kills the whole group when the grace time is over', async () => {
    const controller = new AbortController();
    let identity: ProcessIdentity | undefined;
    const result = await runProcess(
      shell('trap "" TERM INT; (trap "" TERM INT; echo ready; sleep 60) & sleep 60; sleep 60', {
        signal: controller.signal,
        graceMs: 200,
        onLine: () => controller.abort(),
        onStart: (started) => void (identity = started),
      }),
    );

    expect(result).toMatchObject({ signal: 'SIGKILL', stoppedBy: 'abort' });
    expect(await observeProcessGroup(identity!)).toBe('gone');
  });

  it('leaves no straggler behind when the program itself has ended', async () => {
    let identity: ProcessIdentity | undefined;
    await runProcess(shell('sleep 60 &', { graceMs: 100, onStart: (started) => void (identity = started) }));

    expect(await observeProcessGroup(identity!)).toBe('gone');
  });

  it('stops at once when the signal was aborted before', async () => {
    const result = await runProcess(shell('sleep 600', { signal: AbortSignal.abort(), graceMs: 60_000 }));

    expect(result.stoppedBy).toBe('abort');
    expect(result.durationMs).toBeLessThan(30_000);
  });

  it('does not let the program begin when the signal aborts before that', async () => {
    const controller = new AbortController();
    const script = 'trap "" TERM; touch began';
    const result = await runProcess(
      shell(script, { signal: controller.signal, onStart: () => controller.abort(), graceMs: 60_000 }),
    );

    expect(result.stoppedBy).toBe('abort');
    expect(await exists('began')).toBe(false);
  });
});

describe('a parent that is killed', () => {
  const parentScript = fileURLToPath(new URL('./testing/doomed-parent.mjs', import.meta.url));

  /** Runs `script` under another Node process, and gives that process with the identity of the group. */
  async function underDoomedParent(
    script: string,
  ): Promise<{ pid: number; identity: ProcessIdentity; exited: Promise<unknown> }> {
    const entry = join(directory, 'script.sh');
    await writeFile(entry, script);
    const parent = spawn(process.execPath, [parentScript, entry, directory], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const exited = once(parent, 'exit');
    await until(() => exists('identity.json'));
    await until(() => exists('ready'));
    const identity = JSON.parse(await readFile(join(directory, 'identity.json'), 'utf8')) as ProcessIdentity;
    return { pid: parent.pid!, identity, exited };
  }

  it('lets the program finish what it does, asks it just once, and lets it write to its output', async () => {
    const { pid, identity, exited } = await underDoomedParent(
      'trap "echo asked >> asked; echo talking; sleep 0.3; echo talking; touch saved; exit 0" TERM; touch ready; while :; do sleep 0.05; done',
    );

    process.kill(pid, 'SIGKILL');
    await exited;
    await until(async () => (await observeProcessGroup(identity)) === 'gone');

    expect(await exists('saved')).toBe(true);
    expect(await readFile(join(directory, 'asked'), 'utf8')).toBe('asked\n');
  });

  it('is followed by nobody who asks the program once more', async () => {
    const { pid, identity, exited } = await underDoomedParent(
      'trap "echo again >> asked" INT; trap "echo asked >> asked; sleep 0.5; touch saved; exit 0" TERM; touch ready; while :; do sleep 0.05; done',
    );
    process.kill(pid, 'SIGKILL');
    await exited;
    await until(() => exists('asked'));

    expect(await ensureProcessGroupGone(identity, 60_000)).toBe('gone');
    expect(await readFile(join(directory, 'asked'), 'utf8')).toBe('asked\n');
    expect(await exists('saved')).toBe(true);
  });

  it('asks no program that was asked to stop while it lived', async () => {
    const { pid, identity, exited } = await underDoomedParent(
      'trap "echo asked >> asked" INT; trap "echo again >> asked" TERM; touch ready; while [ ! -e end ]; do sleep 0.05; done',
    );
    const gone = ensureProcessGroupGone(identity, 60_000);
    await until(() => exists('asked'));
    process.kill(pid, 'SIGKILL');
    await exited;
    await sleep(200);
    await writeFile(join(directory, 'end'), '');

    expect(await gone).toBe('gone');
    expect(await readFile(join(directory, 'asked'), 'utf8')).toBe('asked\n');
  });

  it('ends a program that does not listen, when asked to prove it gone', async () => {
    const { pid, identity, exited } = await underDoomedParent(
      'trap "" TERM INT; touch ready; while :; do sleep 0.05; done',
    );

    process.kill(pid, 'SIGKILL');
    await exited;
    expect(await observeProcessGroup(identity)).toBe('alive');

    expect(await ensureProcessGroupGone(identity, 100)).toBe('gone');
    expect(await ensureProcessGroupGone(identity, 100)).toBe('gone');
  });
});

describe('observeProcessGroup', () => {
  const identity = { pid: process.pid, pgid: process.pid, startTime: 'of another process', bootId: '', host: '' };

  it('says elsewhere for another host', async () => {
    expect(await observeProcessGroup({ ...identity, host: 'not-this-host' })).toBe('elsewhere');
  });

  it('does not take a later process with the same pid for the old one', async () => {
    let own: ProcessIdentity | undefined;
    const running = runProcess(
      shell('while [ ! -e done ]; do sleep 0.05; done', { onStart: (started) => void (own = started) }),
    );
    await until(() => own !== undefined);

    expect(await observeProcessGroup(own!)).toBe('alive');
    expect(await observeProcessGroup({ ...own!, startTime: '1' })).toBe('gone');

    await writeFile(join(directory, 'done'), '');
    await running;
  });
});
