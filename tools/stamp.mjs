import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { alone } from './alone.mjs';
import { root } from './run.mjs';

const SKIPPED = new Set(['node_modules', 'dist', 'generated', '.nx', '.git', '.crate', 'coverage']);

/** A digest over path, size and time of every file below `paths` that `matches`; cheap, and changes with any edit. */
export function stampOf(paths, matches) {
  const hash = createHash('sha256');
  for (const path of paths) walk(join(root, path), matches, hash);
  return hash.digest('hex');
}

function walk(path, matches, hash) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return;
  if (!stat.isDirectory()) {
    if (matches(path)) hash.update(`${path}:${stat.size}:${stat.mtimeMs}\n`);
    return;
  }
  for (const name of readdirSync(path).sort()) if (!SKIPPED.has(name)) walk(join(path, name), matches, hash);
}

/** As `onceFor`, in one process of all: the others wait until it has ended, and look again. `stampNow` gives the stamp. */
export function onceForAll(name, stampNow, work) {
  if (!isDone(name, stampNow())) alone(() => onceFor(name, stampNow(), work));
}

/** Runs `work` unless it ran to its end for the same stamp before. */
export function onceFor(name, stamp, work) {
  if (isDone(name, stamp)) return false;
  work();
  const file = fileOf(name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, stamp);
  return true;
}

function isDone(name, stamp) {
  const file = fileOf(name);
  return existsSync(file) && readFileSync(file, 'utf8') === stamp;
}

function fileOf(name) {
  return join(root, 'node_modules', '.cache', 'crate', `${name}.stamp`);
}
