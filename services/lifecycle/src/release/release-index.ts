import { badRequest } from '@crate/errors';
import { valid } from 'semver';
import { z } from 'zod';

/** Who is told of a release: everybody, or who tries what comes next as well. */
export const CHANNELS = ['stable', 'candidate'] as const;

const version = z.string().refine((text) => valid(text) === text, 'must be a semantic version such as 1.4.2');

const digest = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, 'must be a digest such as sha256:4f53cda1…, with 64 hexadecimal digits');

/** What is not known here is left out: the index is signed, and an installation that is older than its newest release has to read it. */
const release = z.object({
  version,
  channel: z.enum(CHANNELS),
  releasedAt: z.iso.datetime(),
  /** The oldest version that may go there in one step. */
  upgradeFrom: version.optional(),
  /** The oldest version that runs on the schemas which this one leaves; absent: nobody goes back from it. */
  downgradeTo: version.optional(),
  /** Closes a hole: nobody should wait. */
  isSecurity: z.boolean().default(false),
  summary: z.string().max(500).optional(),
  notes: z.url({ protocol: /^https$/ }).optional(),
  /** Digests of images, by the component that each is of; absent: its tag alone says which image it is. */
  images: z.record(z.string(), digest).optional(),
});

const releaseIndex = z.object({
  kind: z.literal('ReleaseIndex'),
  /** Grows with each issue: an older one is not taken again. */
  serial: z.int().min(1),
  /** From then on it says nothing any more: whoever keeps an old one from being replaced is noticed. */
  expiresAt: z.iso.datetime(),
  releases: z.array(release).max(1_000),
});

export type Channel = (typeof CHANNELS)[number];
export type Release = z.output<typeof release>;
export type ReleaseIndex = z.output<typeof releaseIndex>;

/** Digest of a component's image in a version, `sha256:…`; undefined where the index says none. Pure. */
export function imageDigestOf(
  index: ReleaseIndex | undefined,
  { component, version: wanted }: { readonly component: string; readonly version: string },
): string | undefined {
  return index?.releases.find((each) => each.version === wanted)?.images?.[component];
}

/** Reads an index that is trusted. Throws BadRequest that names the place. */
export function parseReleaseIndex(text: string): ReleaseIndex {
  const result = releaseIndex.safeParse(jsonOf(text));
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
