import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { unavailable } from '@crate/errors';

/** A program inside an archive of a published release. */
export interface Release {
  readonly archiveUrl: string;
  /** File of `sha256  name` lines published with the release. */
  readonly checksumsUrl: string;
  /** Takes the program out of the archive into a directory of its own; gives its path. */
  readonly extract: (archive: Uint8Array, directory: string) => Promise<string>;
}

const TIMEOUT_MS = 120_000;

/**
 * Downloads a pinned release and installs its program as `target`, after its SHA-256 was found in the release's
 * checksum file. Throws Unavailable when it cannot be fetched or does not match; nothing is installed then.
 */
export async function installRelease(release: Release, target: string): Promise<void> {
  const [archive, checksums] = await Promise.all([fetchBytes(release.archiveUrl), fetchBytes(release.checksumsUrl)]);
  const name = new URL(release.archiveUrl).pathname.split('/').at(-1) ?? '';
  const expected = checksumOf(name, Buffer.from(checksums).toString('utf8'));
  const actual = createHash('sha256').update(archive).digest('hex');
  if (expected !== actual) {
    throw unavailable(`${name} has SHA-256 ${actual}, but its release says ${expected ?? 'nothing'}; not installed`);
  }
  await mkdir(dirname(target), { recursive: true });
  const directory = await mkdtemp(`${target}-`);
  try {
    const program = await release.extract(archive, directory);
    await chmod(program, 0o755);
    await rename(program, target);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The checksum of `name` in the output format of sha256sum. */
export function checksumOf(name: string, checksums: string): string | undefined {
  const lines = checksums.split('\n').map((line) => line.trim().split(/\s+/));
  return lines.find(([, file]) => file?.replace(/^\*/, '') === name)?.[0]?.toLowerCase();
}

async function fetchBytes(url: string): Promise<Uint8Array> {
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
  } catch (cause) {
    throw unavailable(`cannot reach ${new URL(url).host}`, cause);
  }
  throw unavailable(`${url} answered ${response.status}`);
}
