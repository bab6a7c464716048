// Lays the root file system of an image into a directory: see deploy/images/README.md.
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ownArchitecture } from './assemble/base-lock.mjs';
import { assemble } from './assemble/assemble.mjs';
import { IMAGES } from './assemble/images.mjs';

const USAGE = `Usage: npm run assemble -- --service NAME|all --out DIR
  --arch amd64|arm64     default: that of this machine
  --program NAME=FILE    a program that the image starts, such as terraform=/usr/local/bin/terraform; may be given again
  --providers DIR        mirror of Terraform providers, as terraform providers mirror writes it
  --no-base              without the operating system, to be laid over an image that has glibc
  --newer-base           where a pinned package of Debian is gone, that of today; for trying only
  --json                 prints what was made as JSON
Images: ${Object.keys(IMAGES).join(', ')}`;

const options = {
  service: { type: 'string' },
  out: { type: 'string' },
  arch: { type: 'string' },
  program: { type: 'string', multiple: true, default: [] },
  providers: { type: 'string' },
  'no-base': { type: 'boolean', default: false },
  'newer-base': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
};

function readArguments() {
  try {
    const { values } = parseArgs({ options });
    if (values.service === undefined || values.out === undefined) throw new Error('--service and --out are needed');
    return values;
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    return process.exit(2);
  }
}

/** `name=file`, with the version that the program itself tells. */
function programOf(text) {
  const [name, file] = text.split(/=(.*)/s);
  const said = execFileSync(file, ['--version'], { encoding: 'utf8', env: { CHECKPOINT_DISABLE: '1' } });
  const version = /v?(\d+\.\d+\.\d+\S*)/.exec(said)?.[1] ?? 'unknown';
  return [name, { file: resolve(file), version }];
}

const values = readArguments();
const all = values.service === 'all';
const images = all ? Object.keys(IMAGES) : [values.service];
try {
  const programs = Object.fromEntries(values.program.map(programOf));
  const made = images.map((image) => {
    const out = all ? join(resolve(values.out), image) : resolve(values.out);
    const { arch: architecture = ownArchitecture(), providers } = values;
    return {
      out,
      ...assemble({
        image,
        out,
        architecture,
        withBase: !values['no-base'],
        mayBeNewer: values['newer-base'],
        programs,
        ...(providers && { providers: resolve(providers) }),
      }),
    };
  });
  if (values.json) console.log(JSON.stringify(made, undefined, 2));
  else for (const each of made) console.log(lineOf(each));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

function lineOf({ image, bytes, files, packages, digest, missing, out }) {
  const size = `${(bytes / 1e6).toFixed(0).padStart(4)} MB`;
  const lacks = missing.length > 0 ? `  without ${missing.join(', ')}: give --program` : '';
  return `${image.padEnd(14)}${size}  ${files} files, ${packages} packages  ${digest.slice(0, 19)}  ${out}${lacks}`;
}
