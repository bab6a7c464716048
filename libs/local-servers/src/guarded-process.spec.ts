import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GuardedProcess, type GuardedProcessOptions } from './index.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-guarded-'));
});
afterEach(async () => rm(directory, { recursive: true, force: true }));

function shell(script: string, options: Partial<GuardedProcessOptions> = {}): GuardedProcessOptions {
  return { command: 'sh', args: ['-c', script], directory, stopSignal: 'TERM', ...options };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** `@crate/testing` stands on this library, so its helpers cannot be used here. */
async function until(probe: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await probe())) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function hasLogged(logFile: string, text: string): Promise<boolean> {
  return (await readFile(logFile, 'utf8').catch(() => '')).includes(text);
}

/** Blocks this thread, so that everything a child writes meanwhile is read in one piece. */
function blockFor(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

describe('GuardedProcess', () => {
  it('stops by the signal asked for, and only once', async () => {
    // A shell cannot trap SIGINT when it is started in the background, as every server here is.
    const script = `process.on('SIGINT', () => { console.error('interrupted'); process.exit(0); });
      setInterval(() => undefined, 1000);
      console.log('up');`;
    const logFile = join(directory, 'log');
    const args = ['-e', script];
    const command = process.execPath;
    const server = await GuardedProcess.start({ command, args, directory, logFile, stopSignal: 'INT' });
    await until(() => hasLogged(logFile, 'up'));

    await Promise.all([server.stop(), server.stop()]);
    await server.stop();

    expect(isAlive(server.pid)).toBe(false);
    expect(await readFile(logFile, 'utf8')).toBe('up\ninterrupted\n');
  });

  it('kills a server that does not heed the signal when its time is over', async () => {
    const logFile = join(directory, 'log');
    const server = await GuardedProcess.start(
      shell(`trap '' TERM; echo ready; while :; do sleep 0.05; done`, { killAfterMs: 200, logFile }),
    );
    await until(() => hasLogged(logFile, 'ready'));
    await server.stop();
    expect(isAlive(server.pid)).toBe(false);
  });

  it('notices an end that comes at once, also when this process was busy meanwhile', async () => {
    const started = GuardedProcess.start(shell('exit 3'));
    blockFor(300);
    const server = await started;
    await server.exited;
    await server.stop();
  });

  it('ends the server when its guard is killed', async () => {
    const server = await GuardedProcess.start(shell('exec sleep 600'));
    const stat = await readFile(`/proc/${server.pid}/stat`, 'utf8');
    const guard = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);

    process.kill(guard, 'SIGKILL');
    await server.exited;
    await server.stop();
    await until(() => !isAlive(server.pid));
  });

  it('gives the whole environment, or its own, and keeps the last words', async () => {
    const server = await GuardedProcess.start(shell('echo "$GIVEN:$HOME"', { env: { GIVEN: 'yes' } }));
    await server.exited;
    await server.stop();
    expect(server.output).toBe('yes:\n');
  });

  it.each([
    { removesDirectory: true, keepDirectory: false, want: false },
    { removesDirectory: true, keepDirectory: true, want: true },
    { removesDirectory: false, keepDirectory: false, want: true },
  ])('keeps the directory: $want, for $removesDirectory and $keepDirectory', async ({ want, ...options }) => {
    const own = join(directory, 'own');
    await mkdir(own);
    const { removesDirectory, keepDirectory } = options;
    const server = await GuardedProcess.start(shell('exec sleep 600', { directory: own, removesDirectory }));
    await server.stop({ keepDirectory });
    expect(existsSync(own)).toBe(want);
  });

  it('rejects when there is nowhere to start it', async () => {
    await expect(GuardedProcess.start(shell('true', { directory: join(directory, 'nowhere') }))).rejects.toThrow();
  });
});
