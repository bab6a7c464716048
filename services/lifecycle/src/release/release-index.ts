import { badRequest } from '@crate/errors';
import { valid } from 'semver';
import { z } from 'zod';

/** Who is told of a release: everybody, or who tries what comes next as well. */
export const CHANNELS = ['stable', 'candidate'] as const;

const version = z.string().refine((text) => valid(text) === text, 'must be a semantic version such as 1.4.2');

const release = z.strictObject({
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
});

const releaseIndex = z.strictObject({
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
