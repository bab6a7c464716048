import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PARENT_CHECK_MS = 500;

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');
export const bin = join(root, 'node_modules', '.bin');
/** Tells where what tools/test-modules.mjs bundled for this process lies: two that test side by side do not share it. */
export const TEST_MODULES = join(root, 'tmp', 'test-modules', String(process.pid), 'places.json');

/** The Node that the workspace pins, once it is installed; the one that runs this script before that. */
export function nodeBinary() {
  const pinned = join(bin, process.platform === 'win32' ? 'node.exe' : 'node');
  return existsSync(pinned) ? pinned : process.execPath;
}

export function environment(extra = {}) {
  return {
    ...process.env,
    PATH: [bin, process.env.PATH].join(delimiter),
    NX_DAEMON: 'false',
    ...extra,
  };
}

/** Runs a program to its end with our terminal, all that it prints as errors are; ends this process when it fails. */
export function runOrExit(command, args, extra = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: ['inherit', 2, 2], env: environment(extra) });
  if (result.error) {
    console.error(`Cannot run ${command}: ${result.error.message}`);
    process.exit(1);
  }
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/** Nobody would stop the child once npm is gone, by SIGKILL, say. */
function stopWithParent(child) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    child.kill('SIGTERM');
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** Hands over to a program: its signals and exit code are ours. */
export function handOver(command, args, extra = {}) {
  const child = spawn(command, args, { cwd: process.cwd(), stdio: 'inherit', env: environment(extra) });
  // The terminal sends Ctrl-C to both of us, but a supervisor only to us; the child takes two at once for one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  if (process.env.npm_lifecycle_event) stopWithParent(child);
  child.once('error', (error) => {
    console.error(`Cannot run ${command}: ${error.message}`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
}
