import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { toPlatformError, unavailable } from '@crate/errors';
import { ensureProcessGroupGone, type ProcessIdentity } from '@crate/process';

/** A package lies at HOST/NAMESPACE/TYPE/VERSION/PLATFORM. */
const PACKAGE_DEPTH = 5;
/** Longer than any run. Another release that works on the same host, or is gone back to, has its own version installed again if need be. */
const UNUSED_MS = 7 * 24 * 60 * 60_000;

/** What lies beside the cache while something is installed into it. */
interface Installation {
  /** Packages that were whole before. */
  readonly packages: readonly string[];
  /** Who installs. */
  readonly process?: ProcessIdentity;
}

/** Work that installs; it calls `onStart` with the process that does, before that makes its first step. */
export type InstallWork<T> = (onStart: (identity: ProcessIdentity) => Promise<void>) => Promise<T>;

/**
 * The providers that all workspaces of a host share. Terraform unpacks into it directly, and takes whatever lies there for whole: what an
 * installation left that did not come to its end is removed, at once or before the next one. Packages from before it stay for a week after
 * somebody used them: others run them, and with each release there may be another of some hundred MiB. When that was is noted beside the
 * cache: what lies in it may be a link to a mirror that nobody may write to. What nobody has noted counts as used now.
 */
export class PluginCache {
  private readonly marker: string;
  private readonly unused: string;
  private readonly notes: string;

  constructor(
    readonly directory: string,
    /** How long an installation that nobody waits for any more may finish. */
    private readonly graceMs: number,
  ) {
    this.marker = `${directory}.installing`;
    this.unused = `${directory}.unused`;
    this.notes = `${directory}.used`;
  }

  async ensureDirectory(): Promise<void> {
    for (const directory of [this.directory, this.notes]) await mkdir(directory, { recursive: true, mode: 0o700 });
  }

  /**
   * Has the work done, which links all that it needs in `links`, while nobody else of this process installs into the cache; then removes
   * what nobody uses any more, also where there was no room for it. Throws what the work throws.
   */
  async install<T>(links: string, work: InstallWork<T>): Promise<T> {
    return inTurn(this.directory, () => this.installAlone(links, work));
  }

  /** Keeps the packages that are linked in `links` from being removed. False when one of them is gone already. */
  async noteUse(links: string): Promise<boolean> {
    for (const path of await packagesIn(links)) {
      if (!existsSync(join(links, path))) return false;
      // Where it cannot be noted it goes sooner, and is installed again.
      await this.note(path).catch(() => undefined);
    }
    return true;
  }

  private async installAlone<T>(links: string, work: InstallWork<T>): Promise<T> {
    await this.removeUnfinished();
    // Terraform leaves those to other versions, which would count as used.
    await rm(links, { recursive: true, force: true });
    const packages = await packagesIn(this.directory);
    try {
      await this.mark({ packages });
      const result = await work((process) => this.mark({ packages, process }));
      await rm(this.marker, { force: true });
      // What cannot be removed is in nobody's way yet.
      await this.removeUnused(links).catch(() => undefined);
      return result;
    } catch (error) {
      // What cannot be removed now is so before the next installation.
      await this.removeUnfinished().catch(() => undefined);
      // The next one finds the room.
      if (isDiskFull(error)) await this.removeUnused(links).catch(() => undefined);
      throw error;
    }
  }

  private async removeUnused(links: string): Promise<void> {
    await this.noteUse(links);
    // What somebody left who was killed meanwhile.
    await rm(this.unused, { recursive: true, force: true });
    const linked = new Set(await packagesIn(links));
    for (const path of await packagesIn(this.directory)) {
      if (linked.has(path)) continue;
      // One that cannot go keeps no other.
      await this.removeWhenUnused(path).catch(() => undefined);
    }
  }

  private async removeWhenUnused(path: string): Promise<void> {
    const note = await stat(this.noteOf(path)).catch(() => undefined);
    if (!note) return this.note(path);
    if (Date.now() - note.mtimeMs < UNUSED_MS) return;
    // Half of a package would be taken for a whole one.
    await rename(join(this.directory, path), this.unused);
    await rm(this.unused, { recursive: true, force: true });
    await rm(this.noteOf(path), { force: true });
  }

  private async note(path: string): Promise<void> {
    const now = new Date();
    await writeFile(this.noteOf(path), '', { mode: 0o600 });
    await utimes(this.noteOf(path), now, now);
  }

  /** All in one directory: on a full disk there is still room for the name of a file in it. */
  private noteOf(path: string): string {
    return join(this.notes, encodeURIComponent(path));
  }

  private async removeUnfinished(): Promise<void> {
    const unfinished = await this.findUnfinished();
    if (!unfinished) return;
    const { packages, process } = unfinished;
    if (process && (await ensureProcessGroupGone(process, this.graceMs)) === 'alive')
      throw unavailable('An earlier installation of Terraform providers does not end');
    for (const path of await packagesIn(this.directory))
      if (!packages.includes(path)) await rm(join(this.directory, path), { recursive: true, force: true });
    await rm(this.marker, { force: true });
  }

  private async findUnfinished(): Promise<Installation | undefined> {
    const text = await readFile(this.marker, 'utf8').catch(() => undefined);
    return text === undefined ? undefined : (JSON.parse(text) as Installation);
  }

  /** Whole or not at all: a full disk is what interrupts installations. */
  private async mark(installation: Installation): Promise<void> {
    const draft = `${this.marker}.tmp`;
    await writeFile(draft, JSON.stringify(installation), { mode: 0o600, flush: true });
    await rename(draft, this.marker);
  }
}

function isDiskFull(error: unknown): boolean {
  return toPlatformError(error).details['reason'] === 'DiskFull';
}

/** Also those that are only linked there; none where there is no such directory. */
async function packagesIn(directory: string): Promise<readonly string[]> {
  if (!existsSync(directory)) return [];
  const paths = await readdir(directory, { recursive: true });
  return paths.filter((path) => path.split(sep).length === PACKAGE_DEPTH);
}

/** The last installation by plugin cache: runners of one process may share one. */
const lastOnes = new Map<string, Promise<unknown>>();

/** NOTE: the plugin cache is not safe for concurrent use, https://developer.hashicorp.com/terraform/cli/config/config-file */
async function inTurn<T>(pluginCache: string, work: () => Promise<T>): Promise<T> {
  const mine = (lastOnes.get(pluginCache) ?? Promise.resolve()).then(work, work);
  lastOnes.set(
    pluginCache,
    mine.catch(() => undefined),
  );
  return mine;
}
