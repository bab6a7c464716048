import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { root } from '../run.mjs';
import { ARCHITECTURES } from './base-lock.mjs';
import { layBase, sha256Of } from './base.mjs';
import { billOfMaterials } from './bill.mjs';
import { filesBelow, filesOfPackage, ownAssets, runtimeManifest } from './contents.mjs';
import { IMAGES, LAYOUT } from './images.mjs';
import { licenceOf, licencesText } from './licences.mjs';
import { LockFile } from './lock-file.mjs';
import { nodeFor } from './node-binary.mjs';
import { packageOf, traceOwnCode } from './own-code.mjs';
import { Tree } from './tree.mjs';

/** Time of every file: of no meaning, and the same each time. */
const EPOCH_SECONDS = 1_735_689_600; // 2025-01-01
const PROGRAM_LICENCES = { node: 'MIT', terraform: 'BUSL-1.1', tofu: 'MPL-2.0', rke: 'Apache-2.0' };

/**
 * Lays the whole root file system of an image into `out`, which is emptied first: operating system, Node, the service as compiled in this
 * checkout, the packages it needs, what else it carries, licences and the bill of materials. The same checkout gives the same tree, byte for byte.
 * `programs`: paths of what the image starts, by name; those that are absent are left out, and told. `providers`: a mirror of Terraform providers.
 */
export function assemble({ image, out, architecture, withBase = true, mayBeNewer = false, programs = {}, providers }) {
  const spec = IMAGES[image];
  if (!spec) throw new Error(`There is no image ${image}; there are ${Object.keys(IMAGES).join(', ')}`);
  rmSync(out, { recursive: true, force: true });
  const tree = new Tree(out);
  const systemPackages = withBase ? layBase(tree, { architecture, hasShell: spec.shell === true, mayBeNewer }) : [];
  const node = nodeFor(architecture);
  tree.copy(node.file, LAYOUT.node, 0o755);
  const packages = layCode(tree, spec, architecture);
  for (const [from, to] of Object.entries(spec.extras ?? {})) layExtra(tree, from, to);
  const carried = layPrograms(tree, spec, programs);
  if (providers !== undefined) layProviders(tree, providers);
  tree.folder(LAYOUT.state);
  for (const folder of spec.folders ?? []) tree.folder(join(LAYOUT.state, folder));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const listed = [{ name: 'node', licence: PROGRAM_LICENCES.node, ...node }, ...carried];
  tree.write(
    LAYOUT.bill,
    billOfMaterials({ image, version, packages, systemPackages, programs: listed, epochSeconds: EPOCH_SECONDS }),
  );
  tree.write(LAYOUT.licences, licencesText(packages));
  tree.copy(join(root, 'LICENSE'), join(LAYOUT.home, 'LICENSE'));
  const missing = (spec.programs ?? []).filter((name) => programs[name] === undefined);
  return { image, architecture, packages: packages.length, missing, ...tree.finish(EPOCH_SECONDS) };
}

function layCode(tree, spec, architecture) {
  const lock = new LockFile();
  const { files, foreign } = traceOwnCode([spec.entry, ...(spec.furtherEntries ?? [])], lock.workspaces);
  const directories = workspacesOf(files, lock);
  refuseUndeclared(foreign, directories, lock);
  for (const file of [...files.flatMap(withMap), ...ownAssets(directories)])
    tree.copy(join(root, file), join(LAYOUT.home, file), 0o644);
  for (const directory of directories) {
    tree.write(join(LAYOUT.home, directory, 'package.json'), runtimeManifest(directory));
    const name = [...lock.workspaces].find(([, path]) => path === directory)[0];
    const link = posix.join('node_modules', name);
    tree.link(join(LAYOUT.home, link), posix.relative(posix.dirname(link), directory));
  }
  const platform = { os: 'linux', cpu: ARCHITECTURES[architecture], libc: 'glibc' };
  return lock.closure(directories, platform).map((path) => layPackage(tree, path, lock, foreign.keys()));
}

function layPackage(tree, path, lock, specifiers) {
  const manifest = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
  const { version, integrity } = lock.packages[path];
  if (manifest.version !== version) {
    throw new Error(`${path} is ${manifest.version} here and ${version} in package-lock.json; run npm ci`);
  }
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  for (const file of filesOfPackage(path, name, specifiers))
    tree.copy(join(root, path, file), join(LAYOUT.home, path, file), 0o644);
  return { name, version, path, integrity, licence: licenceOf(manifest) };
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

function layExtra(tree, from, to) {
  const source = join(root, from);
  if (!existsSync(source)) throw new Error(`${from} is not there; run npm run build first`);
  if (!lstatSync(source).isDirectory()) return tree.copy(source, join(LAYOUT.home, to), 0o644);
  for (const file of filesBelow(source)) tree.copy(join(source, file), join(LAYOUT.home, to, file), 0o644);
}

function layPrograms(tree, spec, programs) {
  return (spec.programs ?? []).flatMap((name) => {
    const program = programs[name];
    if (program === undefined) return [];
    tree.copy(program.file, join(LAYOUT.programs, name), 0o755);
    return [{ name, version: program.version, licence: PROGRAM_LICENCES[name], sha256: sha256Of(program.file) }];
  });
}

function layProviders(tree, directory) {
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) visit(path);
      else tree.copy(path, join(LAYOUT.providers, relative(directory, path)));
    }
  };
  visit(directory);
}
