import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Commit } from './history.js';

/** Where the version is written outside of packages, with what stands before and behind it. */
const PLACES: readonly { readonly file: string; readonly around: RegExp }[] = [
  { file: 'deploy/helm/crate/Chart.yaml', around: /^(version: |appVersion: )[\w.-]+$()/gm },
  { file: 'docker-compose.yml', around: /(\$\{CRATE_VERSION:-)[\w.-]+(\})/g },
  { file: 'services/lifecycle/src/front-door/front-door.ts', around: /(\+crate\.)[\w.-]+(')/g },
  { file: 'tools/api-docs.mjs', around: /(asyncApiDocument\(')[^']+(')/g },
];
const VERSION = /^(\d+)\.(\d+)\.(\d+)(-[\w.-]+)?$/;

/**
 * The version that follows `current`: by what the commits since the last release are, as Semantic Versioning has it. Before 1.0.0 what breaks
 * raises the middle number. After a candidate it is what that one was a candidate for, unless the commits ask for more. Throws when
 * `current` is no version.
 */
export function nextVersion(current: string, commits: readonly Commit[]): string {
  const match = VERSION.exec(current);
  if (!match) throw new Error(`"${current}" is no version: expected three numbers, such as 1.2.3`);
  const numbers = match.slice(1, 4).map(Number);
  const raised = placeOf(commits, numbers[0] === 0);
  const isRaised = match[4] !== undefined && numbers.slice(raised + 1).every((number) => number === 0);
  if (isRaised) return numbers.join('.');
  return numbers.map((number, place) => (place < raised ? number : place === raised ? number + 1 : 0)).join('.');
}

/** Which of the three numbers commits raise. */
function placeOf(commits: readonly Commit[], isBeforeFirst: boolean): 0 | 1 | 2 {
  if (commits.some(({ isBreaking }) => isBreaking)) return isBeforeFirst ? 1 : 0;
  return commits.some(({ type }) => type === 'feat') ? 1 : 2;
}

/** The version of the product in `directory`. */
export function currentVersion(directory: string): string {
  return (JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { version: string }).version;
}

/**
 * Sets the version of the product: of every package of the workspace and what they say of one another, of the lock file, and
 * wherever else it is written. Gives the files that were changed. Running it again changes nothing. Throws, and changes nothing, where a
 * file has no version at its place: it would call itself by another one from then on.
 */
export function setVersion(directory: string, version: string): string[] {
  const current = currentVersion(directory);
  const packages = [...packageFiles(directory), 'package-lock.json'].map((file) => ({
    file,
    change: (text: string) => inPackage(text, current, version),
  }));
  const places = PLACES.map(({ file, around }) => ({
    file,
    change: (text: string) => {
      if (text.search(around) < 0) throw new Error(`${file} has no version where it is looked for: ${around.source}`);
      return text.replace(around, `$1${version}$2`);
    },
  }));
  const changes = [...packages, ...places].flatMap(({ file, change }) => {
    const text = readFileSync(join(directory, file), 'utf8');
    const changed = change(text);
    return changed === text ? [] : [{ file, changed }];
  });
  for (const { file, changed } of changes) writeFileSync(join(directory, file), changed);
  return changes.map(({ file }) => file);
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
