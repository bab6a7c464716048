import { createHash, createPublicKey, sign, verify, type KeyLike } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { billOfMaterials } from './bill-of-materials.js';
import { requirePinned } from './foreign-lock.js';
import { git } from './history.js';
import { envelope, openEnvelope, statement } from './provenance.js';
import { currentVersion } from './version.js';

/** What a release is made from and with. */
export interface ReleaseInput {
  /** The checkout, with nothing changed in it. */
  readonly directory: string;
  /** A folder that is not there yet, or empty: what it has in the end is signed. */
  readonly out: string;
  /** Private key (ECDSA, P-256) as PEM, without a passphrase. */
  readonly key: string;
  /** Who builds, as an address that provenance names. */
  readonly builder: string;
  /** Further files, such as the packed chart or digests of images. */
  readonly also?: readonly string[];
}

const SUMS = 'SHA256SUMS';
const SIGNATURE = `${SUMS}.sig`;
const PROVENANCE = 'provenance.intoto.json';
const BYTES = 1024 * 1024 * 1024;

/**
 * Makes the artefacts of a release, their digests with a signature, and signed provenance. Gives the names of the files. Throws where a
 * tracked file is not as it is committed: the source would be of another version than all else, and provenance of neither; and where
 * something of others is pinned by no digest. The folder is there with all of it, or not at all.
 */
export function makeArtefacts(input: ReleaseInput): string[] {
  requireCommitted(input.directory);
  requirePinned(input.directory);
  const out = resolve(input.out);
  if (existsSync(out) && readdirSync(out).length > 0)
    throw new Error(`${out} is not empty, and all that is in it would be signed: empty it, or name another folder`);
  mkdirSync(dirname(out), { recursive: true });
  // Beside it: what is left of a try that fails, or is ended, is not in the way of the next.
  const unfinished = `${out}.${process.pid}`;
  mkdirSync(unfinished);
  try {
    const names = fillFolder({ ...input, out: unfinished });
    renameSync(unfinished, out);
    return names;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function fillFolder(input: ReleaseInput): string[] {
  const { directory, out } = input;
  const version = currentVersion(directory);
  const archive = ['archive', '--format=tar', `--prefix=crate-${version}/`, 'HEAD'];
  const tar = execFileSync('git', archive, { cwd: directory, maxBuffer: BYTES });
  writeFileSync(join(out, `crate-${version}.tar.gz`), gzipSync(tar, { level: 9 }));
  const bom = JSON.stringify(billOfMaterials(directory, 'dev'), undefined, 2);
  writeFileSync(join(out, `crate-${version}.cdx.json`), `${bom}\n`);
  for (const file of input.also ?? []) copyFileSync(file, join(out, basename(file)));
  return signArtefacts(input, version);
}

function requireCommitted(directory: string): void {
  const changed = git(directory, 'status', '--porcelain', '--untracked-files=no').trimEnd();
  if (changed !== '') throw new Error(`A release is of what is committed; commit or take back:\n${changed}`);
}

function signArtefacts({ directory, out, key, builder }: ReleaseInput, version: string): string[] {
  const digests = digestsIn(out);
  const sums = [...digests].map(([name, digest]) => `${digest}  ${name}\n`).join('');
  writeFileSync(join(out, SUMS), sums);
  writeFileSync(join(out, SIGNATURE), sign('sha256', Buffer.from(sums), key).toString('base64'));
  const commit = git(directory, 'rev-parse', 'HEAD').trim();
  const lock = createHash('sha256')
    .update(readFileSync(join(directory, 'package-lock.json')))
    .digest('hex');
  const said = statement({ digests, version, commit, lock, builder });
  writeFileSync(join(out, PROVENANCE), `${JSON.stringify(envelope(said, key))}\n`);
  return [...digests.keys(), SUMS, SIGNATURE, PROVENANCE];
}

/**
 * What is wrong with the artefacts in a directory, one line each: a signature that does not hold, a file that is otherwise than
 * it was signed, one that nobody signed, or provenance that is of something else.
 */
export function artefactProblems(out: string, publicKey: string): string[] {
  const key = createPublicKey(publicKey);
  const sums = readFileSync(join(out, SUMS), 'utf8');
  const signature = Buffer.from(readFileSync(join(out, SIGNATURE), 'utf8'), 'base64');
  if (!verify('sha256', Buffer.from(sums), key, signature)) return [`${SUMS}: the signature is not of this key`];
  const signed = new Map(
    sums
      .trim()
      .split('\n')
      .map((line) => [line.slice(66), line.slice(0, 64)] as const),
  );
  const there = digestsIn(out);
  const names = [...new Set([...signed.keys(), ...there.keys()])].sort();
  return [...names.flatMap((name) => differenceOf(name, signed, there)), ...provenanceProblems(out, key, signed)];
}

type Digests = ReadonlyMap<string, string>;

function differenceOf(name: string, signed: Digests, there: Digests): string[] {
  if (!signed.has(name)) return [`${name}: nobody signed it`];
  if (!there.has(name)) return [`${name}: is missing`];
  return signed.get(name) === there.get(name) ? [] : [`${name}: is not what was signed`];
}

function provenanceProblems(out: string, key: KeyLike, signed: Digests): string[] {
  const said = openEnvelope(readFileSync(join(out, PROVENANCE), 'utf8'), key);
  if (said === undefined) return [`${PROVENANCE}: the signature is not of this key`];
  const subjects = new Map(said.subject.map(({ name, digest }) => [name, digest.sha256] as const));
  const isSame = subjects.size === signed.size && [...signed].every(([name, digest]) => subjects.get(name) === digest);
  return isSame ? [] : [`${PROVENANCE}: is of other artefacts`];
}

function digestsIn(out: string): Map<string, string> {
  const own = new Set([SUMS, SIGNATURE, PROVENANCE]);
  const names = readdirSync(out)
    .filter((name) => !own.has(name))
    .sort();
  return new Map(
    names.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(out, name)))
        .digest('hex'),
    ]),
  );
}
