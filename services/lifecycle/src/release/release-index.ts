import { releaseIndexSchema, type Release, type ReleaseIndex } from '@crate/api';
import { badRequest } from '@crate/errors';

export type { Release, ReleaseIndex };

/** Who is told of a release: everybody, or who tries what comes next as well. */
export type Channel = Release['channel'];

/** Digest of a component's image in a version, `sha256:…`; undefined where the index says none. Pure. */
export function imageDigestOf(
  index: ReleaseIndex | undefined,
  { component, version: wanted }: { readonly component: string; readonly version: string },
): string | undefined {
  return index?.releases.find((each) => each.version === wanted)?.images?.[component];
}

/** Reads an index that is trusted. Throws BadRequest that names the place. */
export function parseReleaseIndex(text: string): ReleaseIndex {
  const result = releaseIndexSchema.safeParse(jsonOf(text));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw badRequest(`The index of releases is malformed: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('The index of releases is no JSON');
  }
}
