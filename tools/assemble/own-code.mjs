import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { builtinModules } from 'node:module';
import { root } from '../run.mjs';

const BUILTIN = new Set(builtinModules);
// As tsc writes them, one statement a line; specifiers are literals, which lint of the sources demands as well.
const IMPORTS = [
  /^\s*(?:import|export)\b[^'"\n]*?\bfrom ['"]([^'"\n]+)['"]/gm,
  /^\s*import ['"]([^'"\n]+)['"]/gm,
  /\bimport\(['"]([^'"\n]+)['"]\)/g,
  /\brequire\(['"]([^'"\n]+)['"]\)/g,
  /\bnew URL\(['"](\.[^'"\n]+\.js)['"], import\.meta\.url\)/g,
];

/** What a compiled file imports, as it names it. */
export function importsOf(file) {
  const text = readFileSync(file, 'utf8');
  return [...new Set(IMPORTS.flatMap((pattern) => [...text.matchAll(pattern)].map(([, specifier]) => specifier)))];
}

/** Name of the package in a specifier such as `@a/b/c.js`. */
export const packageOf = (specifier) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

const isBuiltin = (specifier) => specifier.startsWith('node:') || BUILTIN.has(specifier.split('/')[0]);

/**
 * Every file of the workspace that `entries` reach, and every package outside that these name. What nothing imports, tests say,
 * is not there.
 */
export function traceOwnCode(entries, workspaces) {
  const files = new Set();
  const foreign = new Map();
  const waiting = entries.map((entry) => resolve(root, entry));
  while (waiting.length > 0) {
    const file = waiting.pop();
    if (files.has(file)) continue;
    if (!existsSync(file)) throw new Error(`${relative(root, file)} is not there; run npm run build first`);
    files.add(file);
    if (!file.endsWith('.js')) continue;
    if (isBundle(file)) {
      waiting.push(join(dirname(file), 'contents.json'), ...partsOf(file));
      continue;
    }
    for (const specifier of importsOf(file)) {
      if (isBuiltin(specifier)) continue;
      if (specifier.startsWith('.')) waiting.push(resolve(dirname(file), specifier));
      else if (workspaces.has(packageOf(specifier))) waiting.push(ownEntry(specifier, workspaces));
      else foreign.set(specifier, relative(root, file));
    }
  }
  return { files: [...files].map((file) => relative(root, file)).sort(), foreign };
}

/** A bundle imports its parts; all else that it names, its modules do as well, which are there too. */
const isBundle = (file) => file.includes('/dist/bundle/');
const partsOf = (file) =>
  importsOf(file)
    .filter((specifier) => /^\.\/[^/]+$/.test(specifier))
    .map((specifier) => resolve(dirname(file), specifier))
    .filter((part) => existsSync(part));

function ownEntry(specifier, workspaces) {
  const directory = workspaces.get(packageOf(specifier));
  const { exports } = JSON.parse(readFileSync(join(root, directory, 'package.json'), 'utf8'));
  const path = exports?.[`.${specifier.slice(packageOf(specifier).length)}`]?.default;
  if (path === undefined) throw new Error(`${specifier} is not among the exports of ${directory}`);
  return resolve(root, directory, path);
}
