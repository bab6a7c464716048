import { createHash, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './run.mjs';

const LOOK_EVERY_MS = 200;
/** Outside node_modules, which an installation removes. */
const LOCK = join(root, 'tmp', 'build.lock');

/**
 * Runs `work` while nobody else does in this checkout, and waits for who does; one that was killed is no obstacle. `work` may end this
 * process, and must not call this again, in a child neither.
 */
export function alone(work) {
  mkdirSync(dirname(LOCK), { recursive: true });
  for (let isTold = false; !take(LOCK); isTold = true) {
    const [pid] = look(LOCK)?.split(' ') ?? [];
    if (!isTold && pid) console.error(`Waiting for process ${pid}, which builds here (${relative(root, LOCK)})`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_EVERY_MS);
  }
  process.once('exit', giveBack);
  try {
    return work();
  } finally {
    giveBack();
    process.off('exit', giveBack);
  }
}

function giveBack() {
  if (look(LOCK) === holder(process.pid)) rmSync(LOCK);
}

/** Makes the file in one step, with its content, or takes over one whose process is gone. */
function take(path) {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, holder(process.pid));
  try {
    return isLinked(draft, path) || takeOver(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** By one alone: who has the claim to this very content. Removed and made anew, the file could be somebody else's by then. */
function takeOver(draft, path) {
  const found = look(path);
  if (found === undefined || isAlive(found)) return false;
  const claim = `${path}.${createHash('sha256').update(found).digest('hex').slice(0, 12)}`;
  if (!take(claim)) return false;
  try {
    if (look(path) !== found) return false;
    renameSync(draft, path);
    return true;
  } finally {
    rmSync(claim, { force: true });
  }
}

function isLinked(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Undefined when there is no file. */
function look(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A process, told apart from a later one of its id where the system says when it began. */
function holder(pid) {
  return `${pid} ${startTimeOf(pid)}`;
}

/** Source: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html, field 22; the second may hold spaces. */
function startTimeOf(pid) {
  return (
    look(join('/proc', String(pid), 'stat'))
      ?.replace(/^.*\) /s, '')
      .split(' ')[19] ?? ''
  );
}

function isAlive(found) {
  const pid = Number.parseInt(found, 10);
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code === 'ESRCH') return false;
  }
  return found === holder(pid);
}
