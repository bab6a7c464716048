import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Commit } from './history.js';

/** Where the version is written outside of packages, with what stands before and behind it. */
const PLACES: readonly { readonly file: string; readonly around: RegExp }[] = [
  { file: 'deploy/helm/crate/Chart.yaml', around: /^(version: |appVersion: )[\w.-]+$()/gm },
  { file: 'docker-compose.yml', around: /(\$\{CRATE_VERSION:-)[\w.-]+(\})/g },
  { file: 'services/lifecycle/src/front-door/front-door.ts', around: /(\+crate\.)\d+\.\d+\.\d+(')/g },
  { file: 'tools/api-docs.mjs', around: /(asyncApiDocument\(')[^']+(')/g },
];
const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;

/**
 * The version that follows `current`: by what the commits are, as Semantic Versioning has it. Before 1.0.0 what breaks raises
 * the middle number. Throws when `current` is no version.
 */
export function nextVersion(current: string, commits: readonly Commit[]): string {
  const match = VERSION.exec(current);
  if (!match) throw new Error(`"${current}" is no version: expected three numbers, such as 1.2.3`);
  const [major, minor, patch] = match.slice(1).map(Number) as [number, number, number];
  if (commits.some(({ isBreaking }) => isBreaking)) return major === 0 ? `0.${minor + 1}.0` : `${major + 1}.0.0`;
  if (commits.some(({ type }) => type === 'feat')) return `${major}.${minor + 1}.0`;
  return `${major}.${minor}.${patch + 1}`;
}

/** The version of the product in `directory`. */
export function currentVersion(directory: string): string {
  return (JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { version: string }).version;
}

/**
 * Sets the version of the product: of every package of the workspace and what they say of one another, of the lock file, and
 * wherever else it is written. Gives the files that were changed. Running it again changes nothing.
 */
export function setVersion(directory: string, version: string): string[] {
  const current = currentVersion(directory);
  const packages = [...packageFiles(directory), 'package-lock.json'].map((file) => ({
    file,
    change: (text: string) => inPackage(text, current, version),
  }));
  const places = PLACES.map(({ file, around }) => ({
    file,
    change: (text: string) => text.replace(around, `$1${version}$2`),
  }));
  const changes = [...packages, ...places].filter(({ file, change }) => changeFile(join(directory, file), change));
  return changes.map(({ file }) => file);
}

function changeFile(path: string, change: (text: string) => string): boolean {
  const text = readFileSync(path, 'utf8');
  const changed = change(text);
  if (changed !== text) writeFileSync(path, changed);
  return changed !== text;
}

/** `package.json` of the root and of each package in the workspace. */
function packageFiles(directory: string): string[] {
  const { workspaces } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { workspaces: string[] };
  const folders = workspaces.flatMap((pattern) => {
    if (!pattern.endsWith('/*')) return [pattern];
    const parent = pattern.slice(0, -2);
    const entries = readdirSync(join(directory, parent), { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${parent}/${name}`);
  });
  // Folders of packages that are gone may linger with what was built in them.
  const files = folders.map((folder) => `${folder}/package.json`);
  return ['package.json', ...files.filter((file) => existsSync(join(directory, file)))];
}

/** Nothing but our own names and the version right behind them: packages of others may have the same number. */
function inPackage(text: string, from: string, to: string): string {
  const old = from.replaceAll('.', '\\.');
  const own = new RegExp(`("@crate/[^"]+": "|"name": "(?:crate|@crate/[^"]+)",\\s+"version": ")${old}"`, 'g');
  return text.replace(own, `$1${to}"`);
}
