// Bundles what suites load of other workspaces, as `tsc -b` left it, and packages of many modules: see docs/adr/0455-suites-load-bundles.md.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { packageOf } from './assemble/own-code.mjs';
import { outputIn, refuseUnresolved } from './bundle/bundle.mjs';
import { originalPlace, ownMaps } from './bundle/original-place.mjs';
import { root } from './run.mjs';

/** Of the most modules. Whoever else asks for a part of one has to ask by one of these names, or there are two of it. */
const COMMON_JS = ['rxjs', 'yaml'];
const PACKAGES = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/microservices',
  '@nestjs/platform-fastify',
  '@patternfly/react-core',
  '@patternfly/react-icons',
  '@patternfly/react-table',
  '@tanstack/react-query',
  '@tanstack/react-router',
  '@testing-library/user-event',
  'react-i18next',
  'zod',
  ...COMMON_JS,
];
/** Nobody else asks for these. */
const PARTS = ['@patternfly/react-styles', '@patternfly/react-tokens', '@tanstack/query-core', '@tanstack/router-core'];
const NAMES_OF = '\0names-of:';
const isNamed = (id) => !/^[./\0]/.test(id);
const require = createRequire(import.meta.url);

/** File that tells the places, in a folder named by the process that asks for them. */
const [file] = process.argv.slice(2);
const target = dirname(file);
mkdirSync(target, { recursive: true });
removeThoseOfEnded(dirname(target));
const places = await Promise.all([...ownLibraries().map(bundleLibrary), bundlePackages()]);
writeFileSync(file, JSON.stringify(Object.assign({}, ...places)));

function removeThoseOfEnded(all) {
  const ended = readdirSync(all).filter((pid) => !isRunning(Number(pid)));
  for (const pid of ended) rmSync(join(all, pid), { recursive: true, force: true });
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function ownLibraries() {
  const folders = ['libs', 'infra'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(root, group, name)),
  );
  return folders
    .map((folder) => ({ folder, ...JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) }))
    .filter(({ folder, exports }) => exports !== undefined && existsSync(join(folder, exports['.'].default)));
}

/** By itself, and all that it imports outside: each library and package is there once, whoever asks for it. */
function bundleLibrary({ folder, name, exports }) {
  const entries = Object.entries(exports).map(([part, file]) => [join(name, part), join(folder, file.default)]);
  return bundle(name, entries, isNamed);
}

function bundlePackages() {
  const entries = PACKAGES.map((name) => [name, COMMON_JS.includes(name) ? `${NAMES_OF}${name}` : name]);
  const within = new Set([...PACKAGES, ...PARTS]);
  return bundle('packages', entries, (id) => isNamed(id) && !within.has(packageOf(id)));
}

/** Gives the file of each name. */
async function bundle(name, entries, external) {
  const directory = join(target, name.replace('/', '-'));
  const fileOf = (entry) => entry.replaceAll('/', '-');
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map(([entry, module]) => [fileOf(entry), module])),
    platform: 'node',
    external,
    resolve: { mainFields: ['module', 'main'] },
    moduleTypes: { '.css': 'empty' },
    plugins: [namesOfPackages(), ownMaps(), originalPlace(directory, new Set())],
    onLog: refuseUnresolved,
  });
  await build.write(outputIn(directory));
  await build.close();
  return Object.fromEntries(entries.map(([entry]) => [entry, join(directory, `${fileOf(entry)}.js`)]));
}

/** Hands on all names of a CommonJS package, which are only known once it ran. */
function namesOfPackages() {
  return {
    name: 'names-of-packages',
    resolveId: { filter: { id: /^\0names-of:/ }, handler: (id) => id },
    load: {
      filter: { id: /^\0names-of:/ },
      handler(id) {
        const name = id.slice(NAMES_OF.length);
        const names = Object.keys(require(name)).filter((key) => key !== 'default' && key !== '__esModule');
        return `import * as all from '${name}';\nexport { ${names.join(', ')} } from '${name}';\nexport default all.default;\n`;
      },
    },
  };
}
