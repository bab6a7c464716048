import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** This very release, with which `crate up` came. */
const OWN_ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
/** All packages of a release have one version. */
const STAMP = 'libs/service-host/package.json';

/** Releases that services can be run from: this one, and those that lie in a directory, one folder each, named as its version. */
export class Versions {
  private constructor(
    private readonly directory: string,
    /** Of this release. */
    readonly own: string,
  ) {}

  static async open(directory: string): Promise<Versions> {
    const own = await versionOf(OWN_ROOT);
    if (own === undefined) throw new Error(`${OWN_ROOT} is no release of Crate`);
    return new Versions(directory, own);
  }

  /** Those that a service can be run from now. What a folder is named counts only when it says the same of itself. */
  async present(service: string): Promise<readonly string[]> {
    const names = await readdir(this.directory).catch(() => []);
    const checked = await Promise.all(names.map(async (name) => ((await this.holds(name, service)) ? name : [])));
    return [...new Set([this.own, ...checked.flat()])].sort();
  }

  /** The program of a service in a version. */
  entryOf(service: string, version: string): string {
    return join(this.rootOf(version), 'services', service, 'dist', 'main.js');
  }

  /** Where all of a release is. */
  rootOf(version: string): string {
    return version === this.own ? OWN_ROOT : join(this.directory, version);
  }

  private async holds(version: string, service: string): Promise<boolean> {
    if (version === this.own || (await versionOf(join(this.directory, version))) !== version) return false;
    return stat(this.entryOf(service, version)).then(
      (entry) => entry.isFile(),
      () => false,
    );
  }
}

async function versionOf(root: string): Promise<string | undefined> {
  try {
    return (JSON.parse(await readFile(join(root, STAMP), 'utf8')) as { version?: string }).version;
  } catch {
    return undefined;
  }
}
