import { releaseIndexSchema, type ReleaseIndex as KnownIndex, type Release } from '@crate/api';
import { badRequest } from '@crate/errors';
import { gt } from 'semver';
import { z } from 'zod';

export type { Release };

/** What this version can read of an index. */
export interface ReleaseIndex extends KnownIndex {
  /** Releases that it cannot; absent: it can read all. */
  readonly unread?: readonly UnreadRelease[];
}

/** What can be told of a release that this version cannot read. */
export interface UnreadRelease {
  /** Absent: not even that. */
  readonly version?: string | undefined;
  /** Absent: of one that is not known. */
  readonly channel?: Channel | undefined;
  readonly isSecurity: boolean;
  /** What is unlike what is known, as in "releases.1.channel Invalid option". */
  readonly place: string;
}

/** Who is told of a release: everybody, or who tries what comes next as well. */
export type Channel = Release['channel'];

/** Digest of a component's image in a version, `sha256:…`; undefined where the index says none. Pure. */
export function imageDigestOf(
  index: ReleaseIndex | undefined,
  { component, version: wanted }: { readonly component: string; readonly version: string },
): string | undefined {
  return index?.releases.find((each) => each.version === wanted)?.images?.[component];
}

const frame = releaseIndexSchema.extend({ releases: z.array(z.unknown()) });
const release = releaseIndexSchema.shape.releases.element;
const { version, channel } = release.shape;
const unreadRelease = z
  .object({
    version: version.optional().catch(undefined),
    channel: channel.optional().catch(undefined),
    isSecurity: z.boolean().catch(false),
  })
  .catch({ isSecurity: false });

/**
 * Reads an index that is trusted. Releases of a form that is not known are left out: whoever is far behind has to hear of those in between.
 * Throws BadRequest that names the place, also where no release at all can be read.
 */
export function parseReleaseIndex(text: string): ReleaseIndex {
  const index = frame.safeParse(jsonOf(text));
  if (!index.success) throw malformed(placeOf(index.error));
  const read = index.data.releases.map((each) => release.safeParse(each));
  const releases = read.flatMap(({ data }) => (data ? [data] : []));
  const unread = read.flatMap(({ error }, at) =>
    error ? [{ ...unreadRelease.parse(index.data.releases[at]), place: placeOf(error, ['releases', at]) }] : [],
  );
  const [first] = unread;
  if (first === undefined) return { ...index.data, releases };
  if (releases.length === 0) throw malformed(first.place);
  return { ...index.data, releases, unread };
}

/** How many releases cannot be read and why, as a part of a sentence; undefined when all can. Pure. */
export function unreadWords({ releases, unread = [] }: ReleaseIndex): string | undefined {
  const [first] = unread;
  if (first === undefined) return undefined;
  const all = releases.length + unread.length;
  return `${unread.length} of ${all} releases cannot be read by this version: ${first.place}`;
}

/** Releases that cannot be read, may be newer than this version, and are not of candidates where nobody wants those. Pure. */
export function newerUnread(
  { unread = [] }: ReleaseIndex,
  installed: { readonly version: string; readonly channel: Channel },
): readonly UnreadRelease[] {
  return unread.filter(
    (each) =>
      (installed.channel === 'candidate' || each.channel !== 'candidate') &&
      (each.version === undefined || gt(each.version, installed.version)),
  );
}

function malformed(place: string): Error {
  return badRequest(`The index of releases is malformed: ${place}`);
}

function placeOf({ issues: [issue] }: z.ZodError, path: readonly PropertyKey[] = []): string {
  return `${[...path, ...(issue?.path ?? [])].join('.')} ${issue?.message ?? ''}`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('The index of releases is no JSON');
  }
}
