import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { root } from '../run.mjs';
import { ARCHITECTURES } from './base-lock.mjs';
import { layBase, sha256Of } from './base.mjs';
import { billOfMaterials } from './bill.mjs';
import { filesBelow, filesOfPackage, ownAssets, runtimeManifest } from './contents.mjs';
import { specOf, takesProviders } from './images.mjs';
import { licenceOf, licencesText } from './licences.mjs';
import { LockFile } from './lock-file.mjs';
import { packageOf, traceOwnCode } from './own-code.mjs';
import { providersIn } from './providers.mjs';
import { Tree } from './tree.mjs';

/** Time of every file: of no meaning, and the same each time. */
export const EPOCH_SECONDS = 1_735_689_600; // 2025-01-01
const CONSOLE = 'services/console';
const PROGRAM_LICENCES = {
  node: 'MIT',
  terraform: 'BUSL-1.1',
  tofu: 'MPL-2.0',
  rke: 'Apache-2.0',
  helm: 'Apache-2.0',
  'nats-server': 'Apache-2.0',
};

/**
 * Lays the whole root file system of an image into `out`, which is emptied first: operating system, Node, the service as compiled in this
 * checkout, the packages it needs, what else it carries, licences and the bill of materials. The same checkout gives the same tree, byte for byte.
 * `base`: the packages of the operating system, fetched; absent: without it. `node`: the Node for the architecture, fetched.
 * `programs`: paths of what the image starts, by name; those that are absent are left out, and told. `providers`: a mirror of Terraform providers,
 * for the image that takes one.
 */
export function assemble({ image, out, architecture, base, node, programs = {}, providers }) {
  const spec = specOf(image);
  const { layout } = spec;
  rmSync(out, { recursive: true, force: true });
  const tree = new Tree(out);
  const hasShell = spec.shell === true;
  const systemPackages = base && spec.hasBase ? layBase(tree, base, { architecture, hasShell }) : [];
  tree.copy(node.file, layout.node, 0o755);
  const lock = new LockFile();
  const platform = { os: 'linux', cpu: ARCHITECTURES[architecture], libc: 'glibc' };
  const packages = layCode(tree, spec, { lock, platform });
  for (const [from, to] of Object.entries(spec.extras ?? {})) layExtra(tree, layout.home, from, to);
  const carried = layPrograms(tree, spec, programs);
  const mirrored = layProviders(tree, takesProviders(image) ? providers : undefined, layout.providers);
  if (layout.state !== undefined) tree.folder(layout.state);
  for (const folder of spec.folders ?? []) tree.folder(join(layout.state, folder));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const listed = [{ name: 'node', licence: PROGRAM_LICENCES.node, ...node }, ...carried, ...mirrored];
  const known = [
    ...new Map([...packages, ...builtIn(spec, { lock, platform })].map((each) => [each.path, each])).values(),
  ];
  tree.write(
    layout.bill,
    billOfMaterials({ image, version, packages: known, systemPackages, programs: listed, epochSeconds: EPOCH_SECONDS }),
  );
  tree.write(layout.licences, licencesText(known, listed));
  tree.copy(join(root, 'LICENSE'), join(layout.home, 'LICENSE'));
  const missing = (spec.programs ?? []).filter((name) => programs[name] === undefined);
  return { image, architecture, packages: packages.length, missing, ...tree.finish(EPOCH_SECONDS) };
}

function layCode(tree, spec, { lock, platform }) {
  const { home } = spec.layout;
  const { files, foreign } = traceOwnCode([spec.entry, ...(spec.furtherEntries ?? [])], lock.workspaces);
  const directories = workspacesOf(files, lock);
  refuseUndeclared(foreign, directories, lock);
  for (const file of [...files.flatMap(withMap), ...ownAssets(directories)])
    tree.copy(join(root, file), join(home, file), 0o644);
  for (const directory of directories) {
    tree.write(join(home, directory, 'package.json'), runtimeManifest(directory));
    const name = [...lock.workspaces].find(([, path]) => path === directory)[0];
    const link = posix.join('node_modules', name);
    tree.link(join(home, link), posix.relative(posix.dirname(link), directory));
  }
  return lock.closure(directories, platform).map((path) => layPackage(tree, home, path, lock, foreign.keys()));
}

/** Packages that the console was built of: they lie nowhere by themselves, and are carried all the same. */
function builtIn(spec, { lock, platform }) {
  if (spec.extras?.[`${CONSOLE}/dist`] === undefined) return [];
  return lock.closure(lock.withWorkspaces(CONSOLE), platform).map((path) => describePackage(path, lock));
}

function describePackage(path, lock) {
  const manifest = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
  const { version, integrity } = lock.packages[path];
  if (manifest.version !== version) {
    throw new Error(`${path} is ${manifest.version} here and ${version} in package-lock.json; run npm ci`);
  }
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return { name, version, path, integrity, licence: licenceOf(manifest) };
}

function layPackage(tree, home, path, lock, specifiers) {
  const described = describePackage(path, lock);
  for (const file of filesOfPackage(path, described.name, specifiers))
    layPackageFile(tree, join(root, path, file), join(home, path, file));
  return described;
}

/** Programs of a package stay executable, and its links links: PostgreSQL's libraries would be there three times. */
function layPackageFile(tree, source, path) {
  if (lstatSync(source).isSymbolicLink()) tree.link(path, readlinkSync(source));
  else tree.copy(source, path);
}

/** Traces through maps name lines of the sources. */
const withMap = (file) => (existsSync(join(root, `${file}.map`)) ? [file, `${file}.map`] : [file]);

function workspacesOf(files, lock) {
  const directories = [...lock.workspaces.values()];
  return [...new Set(files.map((file) => directories.find((each) => file.startsWith(`${each}/`))))].sort();
}

/** What is found only because another package needs it may be gone tomorrow. */
function refuseUndeclared(foreign, directories, lock) {
  for (const [specifier, file] of foreign) {
    const directory = directories.find((each) => file.startsWith(`${each}/`));
    const { dependencies = {} } = lock.packages[directory];
    if (dependencies[packageOf(specifier)] === undefined) {
      throw new Error(`${file} imports ${specifier}, which is not among the dependencies of ${directory}/package.json`);
    }
  }
}

/** `to`: a path, or one with the mode of the file. */
function layExtra(tree, home, from, to) {
  const source = join(root, from);
  const { to: path, mode } = typeof to === 'string' ? { to, mode: 0o644 } : to;
  if (!existsSync(source)) throw new Error(`${from} is not there; run npm run build first`);
  if (!lstatSync(source).isDirectory()) {
    for (const each of [path].flat()) tree.copy(source, join(home, each), mode);
    return;
  }
  for (const file of filesBelow(source)) tree.copy(join(source, file), join(home, path, file), mode);
}

function layPrograms(tree, spec, programs) {
  return (spec.programs ?? []).flatMap((name) => {
    const program = programs[name];
    if (program === undefined) return [];
    tree.copy(program.file, join(spec.layout.programs, name), 0o755);
    return [{ name, ...program, licence: PROGRAM_LICENCES[name], sha256: sha256Of(program.file) }];
  });
}

/** Lays a mirror, if there is one, and gives what is in it. */
function layProviders(tree, directory, to) {
  if (directory === undefined) return [];
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) visit(path);
      else tree.copy(path, join(to, relative(directory, path)));
    }
  };
  visit(directory);
  return providersIn(directory);
}
