import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const FETCH_TIMEOUT_MS = 300_000;

/** What is somebody else's: images, programs, Terraform providers. `null` is what `npm run images:pin` has not written yet. */
export const FOREIGN_LOCK_FILE = new URL('../../deploy/images/foreign.lock.json', import.meta.url);

export const readForeignLock = () => JSON.parse(readFileSync(FOREIGN_LOCK_FILE, 'utf8'));

const filled = (template, { version }, arch) => template.replaceAll('{version}', version).replaceAll('{arch}', arch);

/** Bytes of a program's archive; refused unless its digest is the one of the lock, or, without one, the one its publisher states now. */
export async function fetchArchive(name, program, arch) {
  const url = filled(program.archive, program, arch);
  const wanted = program.sha256[arch] ?? (await publishedDigest(program, arch));
  const bytes = await download(url);
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== wanted)
    throw new Error(`${url} has the digest ${found}, not ${wanted}: it is not the ${name} that is wanted`);
  if (!program.sha256[arch])
    console.error(`${name} ${program.version} is not pinned; npm run images:pin writes ${found}`);
  return bytes;
}

/** As its publisher states it now. */
export async function publishedDigest(program, arch) {
  const url = filled(program.checksums, program, arch);
  const file = filled(program.archive, program, arch).split('/').at(-1);
  const lines = new TextDecoder().decode(await download(url)).split('\n');
  const line = lines
    .map((each) => each.trim().split(/\s+/))
    .find(([, path]) => path?.replace(/^\*?(.*\/)?/, '') === file);
  if (!/^[0-9a-f]{64}$/.test(line?.[0] ?? '')) throw new Error(`${url} states no digest of ${file}`);
  return line[0];
}

async function download(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
