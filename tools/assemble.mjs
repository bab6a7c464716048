// Lays the root file system of an image, or the bundle of a release, into a directory: see deploy/images/README.md.
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { archive } from './assemble/archive.mjs';
import { ownArchitecture } from './assemble/base-lock.mjs';
import { fetchBase } from './assemble/base.mjs';
import { assembleEach } from './assemble/each.mjs';
import { EPOCH_SECONDS } from './assemble/assemble.mjs';
import { IMAGES, refuseUnknownPrograms, refuseUnusedProviders, specOf } from './assemble/images.mjs';
import { nodeFor } from './assemble/node-binary.mjs';

const USAGE = `Usage: npm run assemble -- --service NAME|all|bundle --out DIR
  --arch amd64|arm64     default: that of this machine
  --program NAME=FILE    a program that the image starts, such as terraform=/usr/local/bin/terraform; may be given again;
                         refused where no image that is made takes it
  --providers DIR        mirror of Terraform providers, as terraform providers mirror writes it; for the image with Terraform, and refused
                         where that is not made
  --no-base              without the operating system, to be laid over an image that has glibc
  --newer-base           where a pinned package of Debian is gone, that of today; for trying only
  --archive FILE         packs it as well, as tar, or gzip where FILE ends in gz, and prints the SHA-256 of that; not for all
  --json                 prints what was made as JSON
Images: ${Object.keys(IMAGES).join(', ')}; bundle is what a release is installed from without them`;

const options = {
  service: { type: 'string' },
  out: { type: 'string' },
  arch: { type: 'string' },
  program: { type: 'string', multiple: true, default: [] },
  providers: { type: 'string' },
  'no-base': { type: 'boolean', default: false },
  'newer-base': { type: 'boolean', default: false },
  archive: { type: 'string' },
  json: { type: 'boolean', default: false },
};

function readArguments() {
  try {
    const { values } = parseArgs({ options });
    if (values.service === undefined || values.out === undefined) throw new Error('--service and --out are needed');
    if (values.service === 'all' && values.archive !== undefined) throw new Error('--archive is of one service');
    return values;
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    return process.exit(2);
  }
}

/** `name=file`, with the version that the program itself tells. */
function programOf(text) {
  const [name, file] = text.split(/=(.*)/s);
  // Helm knows the word alone.
  const args = name === 'helm' ? ['version'] : ['--version'];
  const said = execFileSync(file, args, { encoding: 'utf8', env: { CHECKPOINT_DISABLE: '1' } });
  const version = /v?(\d+\.\d+\.\d+[^\s",]*)/.exec(said)?.[1] ?? 'unknown';
  return [name, { file: resolve(file), version }];
}

const values = readArguments();
const all = values.service === 'all';
const images = all ? Object.keys(IMAGES) : [values.service];
try {
  refuseUnknownPrograms(
    images,
    values.program.map((text) => text.split('=', 1)[0]),
  );
  if (values.providers !== undefined) refuseUnusedProviders(images);
  const programs = Object.fromEntries(values.program.map(programOf));
  const { arch: architecture = ownArchitecture(), providers } = values;
  const shared = {
    architecture,
    base: baseOf(architecture),
    node: nodeFor(architecture),
    programs,
    ...(providers && { providers: resolve(providers) }),
  };
  const outOf = (image) => (all ? join(resolve(values.out), image) : resolve(values.out));
  const wanted = images.map((image) => ({ ...shared, image, out: outOf(image) }));
  const made = (await assembleEach(wanted)).map((each, index) => ({ out: wanted[index].out, ...each }));
  const [only] = made;
  if (values.archive !== undefined) only.sha256 = await archive(only.out, resolve(values.archive), EPOCH_SECONDS);
  if (values.json) console.log(JSON.stringify(made, undefined, 2));
  else for (const each of made) console.log(lineOf(each));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

/** Fetched once for all images, since they keep what they fetch in the same place; undefined when none is wanted. */
function baseOf(architecture) {
  const based = values['no-base'] ? [] : images.map(specOf).filter(({ hasBase }) => hasBase);
  if (based.length === 0) return undefined;
  const hasShell = based.some(({ shell }) => shell);
  return fetchBase({ architecture, hasShell, mayBeNewer: values['newer-base'] });
}

function lineOf({ image, bytes, files, packages, digest, missing, out, sha256 }) {
  const size = `${(bytes / 1e6).toFixed(0).padStart(4)} MB`;
  const lacks = missing.length > 0 ? `  without ${missing.join(', ')}: give --program` : '';
  return `${image.padEnd(14)}${size}  ${files} files, ${packages} packages  ${digest.slice(0, 19)}  ${out}${lacks}${sha256 ? `\n${sha256}  ${values.archive}` : ''}`;
}
