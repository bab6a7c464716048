import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { root } from '../run.mjs';
import { importsOf } from './own-code.mjs';

/** Declarations, maps and pages are for those who develop. Licences stay, in whatever form. */
const FOR_DEVELOPERS = /(\.d\.[cm]?ts|\.[cm]?tsx?|\.map|\.md|\.markdown|\.tsbuildinfo|\.flow)$/i;
const LICENCE = /^(licen[cs]es?|copying|notice|copyright)([-._].*)?$/i;
/** Of repositories, not of programs. */
const SKIPPED_FOLDERS = new Set(['.github', '.vscode', '.idea', '__tests__', '.bin', 'node_modules']);
/** At the top of a package, or anywhere by their names, files that only its own tests and pages use. */
const OF_ITS_TESTS =
  /^(tests?|spec|examples?|bench(marks?)?|docs?|coverage)\/|^jest\.config\.[cm]?js$|\.(test|spec|tst)\.[cm]?js$/;
/** Query compilers of databases that are not ours: 60 MB. */
const OTHER_DATABASES = /^runtime\/query_compiler_\w+\.(?!postgresql\b)|^runtime\/query_compiler_small_/;

/** Packages of which a part is enough. */
const PARTS = {
  '@prisma/client': (file) => !OTHER_DATABASES.test(file),
  'swagger-ui-dist': (file) => !/^(swagger-ui\.js|swagger-ui-es-.*|log\..*)$/.test(file),
};
/** Packages with a module for each of hundreds of things: those that are imported, and what these import of their own package. */
const BY_IMPORT = new Set(['@cdktn/provider-aws']);
/** What a workspace's code reads beside itself. */
const OWN_FOLDERS = ['migrations', join('prisma', 'migrations'), 'packs', 'prices', 'proto'];

export const isLicence = (name) => LICENCE.test(name);

/** Files below `directory` in a fixed order, without nested packages. */
export function filesBelow(directory, folder = '') {
  const found = [];
  for (const entry of readdirSync(join(directory, folder), { withFileTypes: true })) {
    const path = posix.join(folder, entry.name);
    if (!entry.isDirectory()) found.push(path);
    else if (!SKIPPED_FOLDERS.has(entry.name)) found.push(...filesBelow(directory, path));
  }
  return found.sort();
}

/** What an installed package has to run with. `specifiers`: all that our code imports, as it is named there. */
export function filesOfPackage(path, name, specifiers) {
  const all = filesBelow(join(root, path));
  const isPart = PARTS[name] ?? (() => true);
  const imported = BY_IMPORT.has(name) ? importedFiles(path, name, specifiers) : undefined;
  return all.filter((file) => {
    if (file === 'package.json' || LICENCE.test(posix.basename(file))) return true;
    return !FOR_DEVELOPERS.test(file) && !OF_ITS_TESTS.test(file) && isPart(file) && (imported?.has(file) ?? true);
  });
}

function importedFiles(path, name, specifiers) {
  const found = new Set();
  const waiting = [...specifiers]
    .filter((each) => each.startsWith(`${name}/`))
    .map((each) => each.slice(name.length + 1));
  while (waiting.length > 0) {
    const file = waiting.pop();
    if (found.has(file)) continue;
    found.add(file);
    const relative = importsOf(join(root, path, file)).filter((each) => each.startsWith('.'));
    waiting.push(...relative.map((each) => resolved(path, posix.join(dirname(file), each))));
  }
  return found;
}

function resolved(path, file) {
  const candidates = [file, `${file}.js`, posix.join(file, 'index.js')];
  const found = candidates.find((each) => each.endsWith('.js') && existsSync(join(root, path, each)));
  if (found === undefined) throw new Error(`${path} has no ${file}`);
  return found;
}

/** What the workspace's own packages have beside their code. */
export function ownAssets(directories) {
  return directories.flatMap((directory) =>
    OWN_FOLDERS.map((folder) => join(directory, folder))
      .filter((folder) => existsSync(join(root, folder)))
      .flatMap((folder) => filesBelow(join(root, folder)).map((file) => join(folder, file))),
  );
}

/** Of a workspace's package.json, what Node reads at run time. */
export function runtimeManifest(directory) {
  const { name, version, type, exports } = JSON.parse(readFileSync(join(root, directory, 'package.json'), 'utf8'));
  const entries = Object.entries(exports ?? {}).map(([key, value]) => [key, { default: value.default }]);
  const manifest = { name, version, private: true, license: 'Apache-2.0', type, exports: Object.fromEntries(entries) };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}
