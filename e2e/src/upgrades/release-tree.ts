import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { growTables } from './next-schema.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Where packages of the platform lie. */
const WORKSPACES = ['libs', 'services', 'infra'];
const OWN_SCOPE = '@crate';
/** Where a package has its migrations, or none. */
const SCHEMAS = ['migrations', 'prisma'];
/** What a running program has no use for, or has from elsewhere. */
const LEFT_OUT = ['src', 'node_modules', 'package.json', 'dist', ...SCHEMAS];

/** The version of this checkout. */
export async function ownVersion(): Promise<string> {
  return (await manifestOf(ROOT)).version;
}

/**
 * Another release, as it lies on disk when it was unpacked: the programs of this checkout under another version, which they themselves say,
 * and a change of each table, so that those of this checkout find the schemas of a newer one. What third parties made is shared.
 */
export async function makeRelease(directory: string, version: string): Promise<string> {
  const root = join(directory, version);
  await mkdir(join(root, 'node_modules', OWN_SCOPE), { recursive: true });
  for (const workspace of WORKSPACES) await copyWorkspace(root, workspace, version);
  await linkAll(join(ROOT, 'node_modules'), join(root, 'node_modules'), [OWN_SCOPE]);
  await symlink(join(ROOT, 'deploy'), join(root, 'deploy'));
  await stamp(ROOT, root, version);
  return root;
}

/** One whose policy-mgmt ends as soon as it is started. */
export async function makeBrokenRelease(directory: string, version: string): Promise<void> {
  const root = join(directory, version);
  const files = {
    'libs/service-host/package.json': JSON.stringify({ name: '@crate/service-host', version }),
    'services/policy-mgmt/dist/main.js': `console.log('{"level":"error","msg":"Built on a Friday"}'); process.exit(1);\n`,
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

async function copyWorkspace(root: string, workspace: string, version: string): Promise<void> {
  for (const name of await readdir(join(ROOT, workspace))) {
    const [from, to] = [join(ROOT, workspace, name), join(root, workspace, name)];
    const manifest = await manifestOf(from).catch(() => undefined);
    if (!manifest) continue;
    await mkdir(to, { recursive: true });
    // By times it is known that a bundle is no older than what it was made of.
    const options = {
      recursive: true,
      preserveTimestamps: true,
      filter: (path: string) => !path.endsWith('/compiled'),
    };
    for (const part of ['dist', ...SCHEMAS]) await cp(join(from, part), join(to, part), options).catch(ignoreMissing);
    await growTables(to);
    await linkAll(from, to, LEFT_OUT);
    await stamp(from, to, version);
    const link = join(root, 'node_modules', manifest.name);
    await symlink(relative(join(link, '..'), to), link);
  }
}

async function linkAll(from: string, to: string, except: readonly string[]): Promise<void> {
  const names = (await readdir(from)).filter((name) => !except.includes(name));
  await Promise.all(names.map((name) => symlink(join(from, name), join(to, name))));
}

async function stamp(from: string, to: string, version: string): Promise<void> {
  const manifest = { ...(await manifestOf(from)), version };
  await writeFile(join(to, 'package.json'), JSON.stringify(manifest, undefined, 2));
}

async function manifestOf(directory: string): Promise<{ readonly name: string; readonly version: string }> {
  return JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')) as { name: string; version: string };
}

/** Of a package that is not built, and runs in no service, or has no tables. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
