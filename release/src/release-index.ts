import { sign } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { COMPONENTS, releaseIndexSchema, type IssuedReleaseIndex } from '@crate/api';

/** A version as the index of releases offers it; what each field means: operators' guide, "Newer versions". */
export type OfferedRelease = IssuedReleaseIndex['releases'][number];

/** How long an issue of the index is believed: a release comes sooner, or the index is issued again. */
const DAYS = 100;
const DAY_MS = 86_400_000;

/**
 * The next issue of an index, with a release more, or none: then it is only believed for longer. Throws for a version that is offered already,
 * since installations may have gone there, and for what they would not read.
 */
export function nextIssue(
  before: IssuedReleaseIndex | undefined,
  release: OfferedRelease | undefined,
  now: Date,
): IssuedReleaseIndex {
  const releases = before?.releases ?? [];
  if (release && releases.some(({ version }) => version === release.version)) {
    throw new Error(`${release.version} is in the index already; to issue it again as it is, use --renew`);
  }
  const index: IssuedReleaseIndex = {
    kind: 'ReleaseIndex',
    serial: (before?.serial ?? 0) + 1,
    expiresAt: new Date(now.getTime() + DAYS * DAY_MS).toISOString(),
    releases: release ? [release, ...releases] : releases,
  };
  requireReadable(index);
  return index;
}

/** Once it is published, installations that do not take one field of it hear of no release any more, nor of a hole that one closes. */
function requireReadable(index: IssuedReleaseIndex): void {
  const issues = releaseIndexSchema.safeParse(index).error?.issues ?? [];
  if (issues.length === 0) return;
  const problems = issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Error(`Installations would refuse the index for ${problems.join(', ')}`);
}

/**
 * Digests by component, of what `docker buildx bake --push --metadata-file` writes. Throws unless it has one of each component, of this version:
 * of those without one an upgrade takes whatever has the tag.
 */
export function imagesOf(metadata: string, version: string): Readonly<Record<string, string>> {
  const targets = JSON.parse(metadata) as Readonly<Record<string, PushedTarget | undefined>>;
  return Object.fromEntries(
    COMPONENTS.map((component) => [component, digestOf(component, targets[component], version)]),
  );
}

interface PushedTarget {
  /** All that it was pushed as, with commas between. */
  readonly 'image.name'?: string;
  readonly 'containerimage.digest'?: string;
}

function digestOf(component: string, pushed: PushedTarget | undefined, version: string): string {
  const { 'image.name': names = '', 'containerimage.digest': digest } = pushed ?? {};
  const wanted = `crate-${component}:${version}`;
  if (digest !== undefined && names.split(',').some((name) => name.endsWith(`/${wanted}`))) return digest;
  const found = digest === undefined ? 'no digest' : names;
  throw new Error(`${wanted}: ${found} in what "docker buildx bake --push --metadata-file" wrote`);
}

/** The index in a file; undefined where there is none yet. */
export function readIndex(file: string): IssuedReleaseIndex | undefined {
  if (!existsSync(file)) return undefined;
  const index = JSON.parse(readFileSync(file, 'utf8')) as IssuedReleaseIndex;
  if (index.kind !== 'ReleaseIndex') throw new Error(`${file} is no index of releases`);
  return index;
}

/** Writes the index and, beside it, its signature (ECDSA P-256 over SHA-256, base64), as `cosign sign-blob` would. */
export function writeIndex(file: string, index: IssuedReleaseIndex, key: string): void {
  const text = `${JSON.stringify(index, undefined, 2)}\n`;
  const signature = `${sign('sha256', Buffer.from(text), key).toString('base64')}\n`;
  replaceFile(`${file}.sig`, signature);
  replaceFile(file, text);
}

/** Never half of it. */
function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
