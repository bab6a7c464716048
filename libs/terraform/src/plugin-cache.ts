import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { unavailable } from '@crate/errors';
import { ensureProcessGroupGone, type ProcessIdentity } from '@crate/process';

/** A package lies at HOST/NAMESPACE/TYPE/VERSION/PLATFORM. */
const PACKAGE_DEPTH = 5;

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
 * installation left that did not come to its end is removed, at once or before the next one. Packages from before it stay: others run them.
 */
export class PluginCache {
  private readonly marker: string;

  constructor(
    readonly directory: string,
    /** How long an installation that nobody waits for any more may finish. */
    private readonly graceMs: number,
  ) {
    this.marker = `${directory}.installing`;
  }

  async ensureDirectory(): Promise<void> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
  }

  /** Has the work done while nobody else of this process installs into the cache. Throws what the work throws. */
  async install<T>(work: InstallWork<T>): Promise<T> {
    return inTurn(this.directory, () => this.installAlone(work));
  }

  private async installAlone<T>(work: InstallWork<T>): Promise<T> {
    await this.removeUnfinished();
    const packages = await this.listPackages();
    await this.mark({ packages });
    try {
      const result = await work((process) => this.mark({ packages, process }));
      await rm(this.marker, { force: true });
      return result;
    } catch (error) {
      // What cannot be removed now is so before the next installation.
      await this.removeUnfinished().catch(() => undefined);
      throw error;
    }
  }

  private async removeUnfinished(): Promise<void> {
    const unfinished = await this.findUnfinished();
    if (!unfinished) return;
    const { packages, process } = unfinished;
    if (process && (await ensureProcessGroupGone(process, this.graceMs)) === 'alive')
      throw unavailable('An earlier installation of Terraform providers does not end');
    for (const path of await this.listPackages())
      if (!packages.includes(path)) await rm(join(this.directory, path), { recursive: true, force: true });
    await rm(this.marker, { force: true });
  }

  private async findUnfinished(): Promise<Installation | undefined> {
    const text = await readFile(this.marker, 'utf8').catch(() => undefined);
    return text === undefined ? undefined : (JSON.parse(text) as Installation);
  }

  private async listPackages(): Promise<readonly string[]> {
    const paths = await readdir(this.directory, { recursive: true });
    return paths.filter((path) => path.split(sep).length === PACKAGE_DEPTH);
  }

  /** Whole or not at all: a full disk is what interrupts installations. */
  private async mark(installation: Installation): Promise<void> {
    const draft = `${this.marker}.tmp`;
    await writeFile(draft, JSON.stringify(installation), { mode: 0o600, flush: true });
    await rename(draft, this.marker);
  }
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
