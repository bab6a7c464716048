// `npm run images:pin`: writes what images are made of as it is today: packages of Debian and Node to deploy/images/base.lock.json; digests of
// foreign images and programs to deploy/images/foreign.lock.json, and those of images to the files that name them. What cannot be
// reached stays as it is, and is told. With `--check` it writes nothing and fails where something newer is there.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../run.mjs';
import { Apt } from './apt.mjs';
import { ARCHITECTURES, BASE_LOCK_FILE } from './base-lock.mjs';
import { FOREIGN_LOCK_FILE, publishedDigest, readForeignLock } from './foreign.mjs';

const PACKAGES = ['base-files', 'ca-certificates', 'dash', 'libc6', 'libgcc-s1', 'libstdc++6', 'tini'];
const USES_OF_IMAGES = [
  'docker-compose.yml',
  'deploy/images/Dockerfile',
  'services/cli/src/bootstrap/servers/server-images.ts',
];
const CHECK_ONLY = process.argv.includes('--check');
const dayOf = (date) => `${date.toISOString().slice(0, 10).replaceAll('-', '')}T000000Z`;
const textOf = (value) => `${JSON.stringify(value, undefined, 2)}\n`;

function baseOfToday() {
  const { node } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies;
  const packages = {};
  for (const architecture of Object.keys(ARCHITECTURES)) {
    const apt = new Apt(architecture);
    apt.update();
    packages[architecture] = PACKAGES.map((name) => apt.newest(name));
  }
  const binaries = Object.entries(ARCHITECTURES).map(([architecture, cpu]) => [architecture, nodeOfNpm(cpu, node)]);
  return { packages, node: { version: node, binaries: Object.fromEntries(binaries) } };
}

function nodeOfNpm(cpu, version) {
  const directory = mkdtempSync(join(tmpdir(), 'crate-node-'));
  try {
    const args = ['pack', `node-linux-${cpu}@${version}`, '--json', '--pack-destination', directory];
    const [{ filename, integrity }] = JSON.parse(
      execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    execFileSync('tar', ['-xzf', join(directory, filename), '-C', directory, 'package/bin/node']);
    const sha256 = createHash('sha256')
      .update(readFileSync(join(directory, 'package', 'bin', 'node')))
      .digest('hex');
    return { integrity, sha256 };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Digest of the list of all architectures, from whichever client is here. */
function digestOfImage(image) {
  const clients = [
    ['docker', ['buildx', 'imagetools', 'inspect', image, '--format', '{{.Manifest.Digest}}']],
    ['skopeo', ['inspect', '--format', '{{.Digest}}', `docker://${image}`]],
  ];
  for (const [program, args] of clients) {
    try {
      const said = execFileSync(program, args, {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        timeout: 60_000,
      }).trim();
      if (/^sha256:[0-9a-f]{64}$/.test(said)) return said;
    } catch {
      // The next one may know.
    }
  }
  throw new Error('neither docker nor skopeo can look it up');
}

async function foreignOfToday() {
  const lock = readForeignLock();
  const orTold = async (name, look) => {
    try {
      return await look();
    } catch (error) {
      console.error(`${name} is left as it is: ${error.cause?.message ?? error.message}`);
      return undefined;
    }
  };
  for (const each of Object.values(lock.images)) {
    each.digest = (await orTold(each.image, () => digestOfImage(each.image))) ?? each.digest;
  }
  for (const [name, program] of Object.entries(lock.programs)) {
    for (const arch of Object.keys(program.sha256)) {
      program.sha256[arch] =
        (await orTold(`${name} for ${arch}`, () => publishedDigest(program, arch))) ?? program.sha256[arch];
    }
  }
  return lock;
}

/** Every place that names an image by its tag, with or without a digest. */
function withDigests(text, images) {
  return Object.values(images).reduce((result, { image, digest }) => {
    const named = new RegExp(`${image.replaceAll('.', '\\.')}(@sha256:[0-9a-f]{64})?(?![\\w.-])`, 'g');
    return result.replace(named, digest === null ? image : `${image}@${digest}`);
  }, text);
}

function bring(file, text) {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  if (CHECK_ONLY) {
    console.error(`${file} is not as it would be today; run npm run images:pin`);
    process.exitCode = 1;
    return;
  }
  writeFileSync(file, text);
  console.log(`Wrote ${file}; build, test and commit it`);
}

const { snapshot, ...before } = JSON.parse(readFileSync(BASE_LOCK_FILE, 'utf8'));
const base = baseOfToday();
const isSame = JSON.stringify(base) === JSON.stringify(before);
bring(BASE_LOCK_FILE.pathname, textOf({ snapshot: isSame ? snapshot : dayOf(new Date()), ...base }));
const foreign = await foreignOfToday();
if (JSON.stringify(foreign) !== JSON.stringify(readForeignLock())) bring(FOREIGN_LOCK_FILE.pathname, textOf(foreign));
for (const path of USES_OF_IMAGES)
  bring(join(root, path), withDigests(readFileSync(join(root, path), 'utf8'), foreign.images));
