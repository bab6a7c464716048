import { readFileSync } from 'node:fs';

/** Names, versions and digests of what the base of images is made of; written by `npm run images:pin`. */
export const BASE_LOCK_FILE = new URL('../../deploy/images/base.lock.json', import.meta.url);

export const readBaseLock = () => JSON.parse(readFileSync(BASE_LOCK_FILE, 'utf8'));

/** Architectures as Docker and Debian call them, and as Node does. */
export const ARCHITECTURES = { amd64: 'x64', arm64: 'arm64' };

/** Of this machine, as Docker calls it. */
export function ownArchitecture() {
  const found = Object.entries(ARCHITECTURES).find(([, node]) => node === process.arch);
  if (!found)
    throw new Error(
      `Images are for ${Object.keys(ARCHITECTURES).join(' and ')}; this machine is ${process.arch}: give --arch`,
    );
  return found[0];
}
