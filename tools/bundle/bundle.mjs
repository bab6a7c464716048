import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from '../run.mjs';
import { originalPlace, ownMaps, PLACES_BANNER } from './original-place.mjs';
import { outside } from './outside.mjs';

const CONTENTS = 'contents.json';
const PART = 'part-';
/** What V8 compiled, kept by programs as they end. */
const COMPILED = 'compiled';

/** Where the bundles of a workspace lie. */
export const bundleDirectory = (workspace) => join(root, workspace, 'dist', 'bundle');

/**
 * Makes the bundles of a workspace of what `tsc` left, in place of those that are there. `contents.json` beside them tells what they are made of:
 * the builds of our workspaces, by which a bundle is known to be out of date, the packages left outside, and the files that modules look for their own by.
 */
export async function bundle({ workspace, entries }) {
  const directory = bundleDirectory(workspace);
  const [fresh, packages, places] = [`${directory}.new`, new Set(), new Set()];
  rmSync(fresh, { recursive: true, force: true });
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(
      Object.entries(entries).map(([name, file]) => [name, join(root, workspace, 'dist', file)]),
    ),
    platform: 'node',
    plugins: [outside(directory, packages), ownMaps(), originalPlace(directory, places)],
    onLog: refuseUnresolved,
  });
  const { output } = await build.write(outputIn(fresh));
  await build.close();
  const builds = buildsOf(
    output.flatMap(({ moduleIds = [] }) => moduleIds),
    directory,
  );
  replace(directory, fresh, { builds, packages: [...packages].sort(), places: [...places].sort() });
}

/** Parts before who names them. Those of the bundle before stay: programs that were started with it may still load them. */
function replace(directory, fresh, contents) {
  const files = readdirSync(fresh).sort();
  const before = existsSync(join(directory, CONTENTS)) ? readContents(directory).files : [];
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(fresh, CONTENTS), `${JSON.stringify({ ...contents, files }, undefined, 2)}\n`);
  const isEntry = (file) => !file.startsWith(PART) && file.endsWith('.js');
  const ordered = [...files.filter((file) => !isEntry(file)), CONTENTS, ...files.filter(isEntry)];
  for (const file of ordered) renameSync(join(fresh, file), join(directory, file));
  rmSync(fresh, { recursive: true });
  const kept = new Set([...ordered, ...before, COMPILED]);
  for (const file of readdirSync(directory)) if (!kept.has(file)) rmSync(join(directory, file));
}

const readContents = (directory) => JSON.parse(readFileSync(join(directory, CONTENTS), 'utf8'));

/** How all our bundles are written, into `dir`. */
export const outputIn = (dir) => ({
  dir,
  format: 'esm',
  banner: PLACES_BANNER,
  // Decorators write into what reflect-metadata made, wherever the parts of a bundle divide them.
  strictExecutionOrder: true,
  // Nest, errors and logs go by names of classes.
  keepNames: true,
  sourcemap: true,
  sourcemapExcludeSources: true,
  entryFileNames: '[name].js',
  chunkFileNames: `${PART}[name]-[hash].js`,
});

/** Packages ask for others that need not be there; ours do not. */
export function refuseUnresolved(level, log) {
  if (log.code === 'UNRESOLVED_IMPORT' && !/in \S*node_modules\//.test(log.message)) throw new Error(log.message);
  if (level === 'error') throw new Error(log.message);
}

/** What `tsc -b` writes whenever it wrote anything of a workspace. */
function buildsOf(modules, directory) {
  const workspaces = modules
    .filter((id) => id.startsWith(root) && !id.includes('/node_modules/'))
    .map((id) => id.slice(0, id.indexOf('/dist/')));
  const builds = [...new Set(workspaces)].map((workspace) => join(workspace, 'dist', '.tsbuildinfo'));
  return builds
    .filter((file) => existsSync(file))
    .map((file) => relative(directory, file))
    .sort();
}
