import { releaseIndexSchema, type ReleaseIndex as KnownIndex, type Release } from '@crate/api';
import { badRequest } from '@crate/errors';
import { z } from 'zod';

export type { Release };

/** What this version can read of an index. */
export interface ReleaseIndex extends KnownIndex {
  /** Of how many releases it cannot, and what is unlike what it knows, as a part of a sentence; absent: it can read all. */
  readonly unread?: string;
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

/**
 * Reads an index that is trusted. Releases of a form that is not known are left out: whoever is far behind has to hear of those in between.
 * Throws BadRequest that names the place, also where no release at all can be read.
 */
export function parseReleaseIndex(text: string): ReleaseIndex {
  const index = frame.safeParse(jsonOf(text));
  if (!index.success) throw malformed(placeOf(index.error));
  const read = index.data.releases.map((each) => release.safeParse(each));
  const releases = read.flatMap(({ data }) => (data ? [data] : []));
  const errors = read.flatMap(({ error }, at) => (error ? [placeOf(error, ['releases', at])] : []));
  const [first] = errors;
  if (first === undefined) return { ...index.data, releases };
  if (releases.length === 0) throw malformed(first);
  const unread = `${errors.length} of ${read.length} releases cannot be read by this version: ${first}`;
  return { ...index.data, releases, unread };
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
