import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { nodeBinary, root } from '../run.mjs';
import { cacheDir } from './apt.mjs';
import { ARCHITECTURES, readBaseLock } from './base-lock.mjs';
import { sha256Of } from './base.mjs';

/** Node for an architecture, as npm has it, and its licences: the one installed here when it is the very same, else fetched. */
export function nodeFor(architecture) {
  const { version, binaries } = readBaseLock().node;
  const { sha256 } = binaries[architecture];
  const name = `node-linux-${ARCHITECTURES[architecture]}`;
  const cached = join(cacheDir(), 'node', `${version}-${architecture}`);
  const fetched = { file: cached, licenceFile: `${cached}.LICENSE` };
  const own = { file: nodeBinary(), licenceFile: join(root, 'node_modules', 'node', 'node_modules', name, 'LICENSE') };
  for (const { file, licenceFile } of [own, fetched])
    if (existsSync(file) && existsSync(licenceFile) && sha256Of(file) === sha256)
      return { version, file, licenceFile, sha256 };
  const spec = `${name}@${version}`;
  const draft = `${cached}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  try {
    const [{ filename }] = JSON.parse(
      execFileSync('npm', ['pack', spec, '--json', '--pack-destination', draft], { encoding: 'utf8' }),
    );
    execFileSync('tar', ['-xzf', join(draft, filename), '-C', draft, 'package/bin/node', 'package/LICENSE']);
    const file = join(draft, 'package', 'bin', 'node');
    if (sha256Of(file) !== sha256) throw new Error(`${spec} is not the one that deploy/images/base.lock.json names`);
    renameSync(join(draft, 'package', 'LICENSE'), fetched.licenceFile);
    renameSync(file, cached);
  } finally {
    rmSync(draft, { recursive: true });
  }
  return { version, ...fetched, sha256 };
}
