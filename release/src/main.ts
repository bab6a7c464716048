import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { artefactProblems, makeArtefacts } from './artefacts.js';
import { auditDependencies } from './audit.js';
import { billOfMaterials, foreignComponents } from './bill-of-materials.js';
import { INDEX_OPTIONS, issueIndex } from './issue-index.js';
import { sectionOf, withSection } from './changelog.js';
import { commitsSince, git, lastRelease } from './history.js';
import { licenceProblems } from './licences.js';
import { signingKey } from './signing-key.js';
import { currentVersion, nextVersion, setVersion } from './version.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const USAGE = `npm run release -- COMMAND
  notes                            what is new since the last release
  prepare [--version V]            set the version, write CHANGELOG.md
  artefacts --out DIR --key FILE [--builder URL] [--also FILE]...
  verify DIR --public-key FILE     whether artefacts are what was signed
  index FILE --key FILE            offers this version in the index of releases, and signs it
    [--channel stable|candidate] [--upgrade-from V] [--downgrade-to V] [--security]
    [--summary TEXT] [--notes URL] [--images FILE: of docker buildx bake --push --metadata-file]
  index FILE --key FILE --renew    issues the index again, as it is
  check                            licences of dependencies, and known holes in them
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    version: { type: 'string' },
    out: { type: 'string' },
    key: { type: 'string' },
    'public-key': { type: 'string' },
    builder: { type: 'string' },
    also: { type: 'string', multiple: true },
    ...INDEX_OPTIONS,
  },
});

const COMMANDS: Readonly<Record<string, () => void>> = { notes, prepare, artefacts, verify, index, check };
const command = COMMANDS[positionals[0] ?? ''];
if (command === undefined) fail(USAGE);
else run(command);

function run(task: () => void): void {
  try {
    task();
  } catch (error) {
    fail(`${(error as Error).message}\n`);
  }
}

function notes(): void {
  const commits = commitsSince(ROOT, lastRelease(ROOT, values.version));
  print(sectionOf(values.version ?? nextVersion(currentVersion(ROOT), commits), dateOfHead(), commits));
}

function prepare(): void {
  const commits = commitsSince(ROOT, lastRelease(ROOT, values.version));
  const version = values.version ?? nextVersion(currentVersion(ROOT), commits);
  const changed = setVersion(ROOT, version);
  const changelog = join(ROOT, 'CHANGELOG.md');
  writeFileSync(changelog, withSection(readFileSync(changelog, 'utf8'), sectionOf(version, dateOfHead(), commits)));
  print(`${changed.length} files are of version ${version} now. Look at CHANGELOG.md, then:\n`);
  print(`  git commit -am "chore(release): ${version}" && git tag -s v${version} -m "Crate ${version}"`);
}

function artefacts(): void {
  const [out, key] = [needed('out'), needed('key')];
  const builder = values.builder ?? 'https://crate.dev/builders/by-hand';
  const input = { directory: ROOT, out, builder, also: values.also ?? [] };
  for (const name of makeArtefacts({ ...input, key: signingKey(key) })) print(join(out, name));
}

function verify(): void {
  const problems = artefactProblems(positionals[1] ?? needed('out'), readFileSync(needed('public-key'), 'utf8'));
  if (problems.length > 0) fail(`${problems.join('\n')}\n`);
  else print('Everything is as it was signed');
}

function index(): void {
  const key = signingKey(needed('key'));
  print(issueIndex(positionals[1], { ...values, key, version: values.version ?? currentVersion(ROOT) }));
}

function check(): void {
  const components = foreignComponents(billOfMaterials(ROOT));
  const problems = licenceProblems(components);
  print(`${components.length} packages of others, ${problems.length} with a licence that is not allowed`);
  const audit = auditDependencies(ROOT);
  print(audit.message);
  if (problems.length > 0 || audit.outcome === 'holes') fail(`${problems.join('\n')}\n`);
}

function needed(name: 'out' | 'key' | 'public-key'): string {
  const value = values[name];
  if (value !== undefined) return value;
  fail(`--${name} is missing\n${USAGE}`);
  process.exit();
}

function dateOfHead(): string {
  return git(ROOT, 'log', '-1', '--format=%cs').trim();
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function fail(text: string): void {
  process.stderr.write(text);
  process.exitCode = 1;
}
