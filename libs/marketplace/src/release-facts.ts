import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReleaseFacts } from './template/parameters.js';

/** Name of the bundle of a release, beside SHA256SUMS. */
export const BUNDLE = 'crate-bundle-linux-x64.tar.gz';

/** What a release fills in: from its folder, as `npm run release -- artefacts` made it, and the public key that people verify it by. */
export function releaseFacts(url: string, directory: string, publicKeyFile: string): ReleaseFacts {
  const sums = readFileSync(join(directory, 'SHA256SUMS'), 'utf8').split('\n');
  const line = sums.find((each) => each.endsWith(`  ${BUNDLE}`));
  if (line === undefined) throw new Error(`${directory}/SHA256SUMS does not name ${BUNDLE}: add it by --also`);
  const [sha256 = ''] = line.split(' ');
  const publicKey = readFileSync(publicKeyFile, 'utf8').replaceAll(/-----[^-]+-----|\s/g, '');
  return { url: url.replace(/\/+$/, ''), sha256, publicKey };
}
