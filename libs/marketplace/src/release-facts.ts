import { execFileSync } from 'node:child_process';
import { verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RELEASE_URL, type ReleaseFacts } from './template/parameters.js';

/** Name of the bundle of a release, beside SHA256SUMS. */
export const BUNDLE = 'crate-bundle-linux-x64.tar.gz';

/** What `crate bootstrap aws --in-place` starts, and the temporary machine has not. */
const PROGRAMS = ['terraform', 'rke', 'helm', 'nats-server'];

/**
 * What a release fills in: from its folder, as `npm run release -- artefacts` made it, and the public key that people verify it by.
 * Throws for a folder that stacks would not take, when its bundle lacks a program that the temporary machine needs, and when that key has not signed its digests.
 */
export function releaseFacts(url: string, directory: string, publicKeyFile: string): ReleaseFacts {
  const folder = url.replace(/\/+$/, '');
  if (!new RegExp(`^${RELEASE_URL}$`).test(folder))
    throw new Error(`${url} is no folder of a release: give an https URL such as https://releases.example.com/1.2.0`);
  const pem = readFileSync(publicKeyFile, 'utf8');
  refuseUnsigned(join(directory, 'SHA256SUMS'), pem, publicKeyFile);
  const sums = readFileSync(join(directory, 'SHA256SUMS'), 'utf8').split('\n');
  const line = sums.find((each) => each.endsWith(`  ${BUNDLE}`));
  if (line === undefined) throw new Error(`${directory}/SHA256SUMS does not name ${BUNDLE}: add it by --also`);
  refuseLacking(join(directory, BUNDLE));
  const [sha256 = ''] = line.split(' ');
  const publicKey = pem.replaceAll(/-----[^-]+-----|\s/g, '');
  return { url: folder, sha256, publicKey };
}

/** By SHA-256, as bootstrap.sh has openssl verify it. As what else is refused: a stack would tell it only after its machine has started. */
function refuseUnsigned(sumsFile: string, pem: string, publicKeyFile: string): void {
  const signature = Buffer.from(readFileSync(`${sumsFile}.sig`, 'utf8').trim(), 'base64');
  let isSigned = false;
  try {
    isSigned = verify('sha256', readFileSync(sumsFile), pem, signature);
  } catch {
    // A key of another kind, or none at all.
  }
  if (!isSigned)
    throw new Error(`${sumsFile}.sig is not of ${publicKeyFile}: give the key that has signed this release`);
}

function refuseLacking(bundle: string): void {
  const options = { encoding: 'utf8', maxBuffer: 1 << 28 } as const;
  const paths = new Set(execFileSync('tar', ['-tzf', bundle], options).split('\n'));
  const lacks = PROGRAMS.filter((name) => !paths.has(`./programs/${name}`));
  if (lacks.length > 0) throw new Error(`${bundle} lacks ${lacks.join(', ')}: assemble it with --program`);
}
