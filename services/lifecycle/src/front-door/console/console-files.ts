import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { invalidSpec } from '@crate/errors';
import { StaticFile } from '../docs/static-file.js';

const ROOT = '/console/';
const ASSETS = `${ROOT}assets/`;
const INDEX = `${ROOT}index.html`;

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};

interface Build {
  readonly builtAt: number;
  /** Where each file is, by the path that it is asked for. */
  readonly places: ReadonlyMap<string, string>;
  readonly loaded: Map<string, Promise<StaticFile>>;
}

/**
 * The files of the built console. A path is looked up among those that were there at the build and never made into a file name, so that
 * none leads out of the directory. Files are read and compressed when they are first asked for.
 */
export class ConsoleFiles {
  private constructor(
    private readonly directory: string,
    private build: Build,
  ) {}

  /** Throws InvalidSpec when the directory holds no page. */
  static async open(directory: string): Promise<ConsoleFiles> {
    return new ConsoleFiles(directory, await readBuild(directory));
  }

  /** The file at a path, or the page, which finds out itself what a deeper path means; undefined for an asset that is not there. */
  async find(path: string): Promise<StaticFile | undefined> {
    const isPage = path === INDEX || !this.build.places.has(path);
    if (!isPage) return this.load(path);
    if (path.startsWith(ASSETS)) return undefined;
    await this.followBuild();
    return this.load(INDEX);
  }

  /** Where the page is built while it is served, what it names is new with it. */
  private async followBuild(): Promise<void> {
    const builtAt = await builtAtOf(this.directory).catch(() => this.build.builtAt);
    if (builtAt !== this.build.builtAt) this.build = await readBuild(this.directory).catch(() => this.build);
  }

  private load(path: string): Promise<StaticFile> {
    const { loaded, places } = this.build;
    const known = loaded.get(path);
    if (known) return known;
    const file = readStatic(path, places.get(path) ?? '');
    loaded.set(path, file);
    file.catch(() => loaded.delete(path));
    return file;
  }
}

async function readStatic(path: string, place: string): Promise<StaticFile> {
  const type = TYPES[extname(place).toLowerCase()] ?? 'application/octet-stream';
  const keep = path === INDEX ? 'never' : path.startsWith(ASSETS) ? 'forever' : 'checked';
  return StaticFile.compressed(await readFile(place), type, keep);
}

async function readBuild(directory: string): Promise<Build> {
  const builtAt = await builtAtOf(directory).catch((error: unknown) => {
    const message = `CRATE_CONSOLE_DIR must be the directory of the built console: ${directory} has no index.html`;
    throw invalidSpec(
      `${message} (npm run build makes services/console/dist; without the setting there is no console)`,
      [{ reason: 'FieldValueInvalid', field: 'console.dir', message: String(error) }],
    );
  });
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  // Links are left out: they could lead anywhere.
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const places = files.map((file) => [`${ROOT}${relative(directory, file).split(sep).join('/')}`, file] as const);
  return { builtAt, places: new Map(places), loaded: new Map() };
}

async function builtAtOf(directory: string): Promise<number> {
  return (await stat(join(directory, 'index.html'))).mtimeMs;
}
