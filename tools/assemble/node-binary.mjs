import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { nodeBinary } from '../run.mjs';
import { cacheDir } from './apt.mjs';
import { ARCHITECTURES, readBaseLock } from './base-lock.mjs';
import { sha256Of } from './base.mjs';

/** Node for an architecture, as npm has it: the one installed here when it is the very same, else fetched. */
export function nodeFor(architecture) {
  const { version, binaries } = readBaseLock().node;
  const { sha256 } = binaries[architecture];
  const cached = join(cacheDir(), 'node', `${version}-${architecture}`);
  for (const candidate of [nodeBinary(), cached])
    if (existsSync(candidate) && sha256Of(candidate) === sha256) return { version, file: candidate, sha256 };
  const spec = `node-linux-${ARCHITECTURES[architecture]}@${version}`;
  const draft = `${cached}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  try {
    const [{ filename }] = JSON.parse(
      execFileSync('npm', ['pack', spec, '--json', '--pack-destination', draft], { encoding: 'utf8' }),
    );
    execFileSync('tar', ['-xzf', join(draft, filename), '-C', draft, 'package/bin/node']);
    const file = join(draft, 'package', 'bin', 'node');
    if (sha256Of(file) !== sha256) throw new Error(`${spec} is not the one that deploy/images/base.lock.json names`);
    renameSync(file, cached);
  } finally {
    rmSync(draft, { recursive: true });
  }
  return { version, file: cached, sha256 };
}
