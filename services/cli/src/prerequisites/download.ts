import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isPlatformError, unavailable } from '@crate/errors';
import { whyUnreachable } from '../output/why-unreachable.js';

/** A program inside an archive of a published release. */
export interface Release {
  readonly archiveUrl: string;
  /** File of `sha256  name` lines published with the release. */
  readonly checksumsUrl: string;
  /** Takes the program out of the archive into a directory of its own; gives its path. */
  readonly extract: (archive: Uint8Array, directory: string) => Promise<string>;
}

export interface InstallOptions {
  /** Gives up, with its reason. */
  readonly signal?: AbortSignal;
  /** How long nothing may come; other than a minute for tests. */
  readonly silenceMs?: number;
}

const SILENCE_MS = 60_000;

/**
 * Downloads a pinned release and installs its program as `target`, after its SHA-256 was found in the release's
 * checksum file. Throws Unavailable when it cannot be fetched or does not match; nothing is installed then.
 */
export async function installRelease(release: Release, target: string, options: InstallOptions = {}): Promise<void> {
  const urls = [release.archiveUrl, release.checksumsUrl] as const;
  const [archive, checksums] = await Promise.all([fetchBytes(urls[0], options), fetchBytes(urls[1], options)]);
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

/** However long it takes, as long as something comes. */
async function fetchBytes(url: string, { signal, silenceMs = SILENCE_MS }: InstallOptions): Promise<Uint8Array> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silenceMs);
  try {
    const response = await fetch(url, { signal: AbortSignal.any([silence.signal, ...(signal ? [signal] : [])]) });
    if (!response.ok) throw unavailable(`${url} answered ${response.status}`);
    const chunks: Uint8Array[] = [];
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      timer.refresh();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (cause) {
    signal?.throwIfAborted();
    if (isPlatformError(cause)) throw cause;
    const why = silence.signal.aborted ? `nothing came for ${silenceMs / 1000} s` : whyUnreachable(cause);
    throw unavailable(`cannot be fetched from ${new URL(url).host}: ${why}`, cause);
  } finally {
    clearTimeout(timer);
  }
}
