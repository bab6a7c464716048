import { z } from 'zod';

const blocker = z.object({
  kind: z.string().describe('What it is: a cloud resource type such as aws_lb, or a kind such as Service'),
  name: z.string().describe("The provider's id, or namespace/name in the cluster"),
  reason: z.string().describe('Stable reason code, such as DependencyViolation or StillListed'),
  message: z.string(),
  since: z.string().describe('Since when it is in the way, in UTC'),
  remedy: z.string().optional().describe('What to do, when waiting does not help'),
});

/** Something that a forced deletion left behind. */
export const abandonedResource = z.object({
  kind: z.string(),
  name: z.string().describe("The provider's id, or namespace/name in the cluster"),
  account: z.string().optional(),
  region: z.string().optional(),
});

/** Who said that what is in the way may be left behind. */
export const deletionForced = z.object({ by: z.string(), reason: z.string(), at: z.string() });

/** How a deletion stands. */
export const deletionStatus = z.object({
  requestedAt: z.string(),
  blockers: z.array(blocker).describe('What is in the way; empty: work is under way'),
  forced: deletionForced.optional().describe('Who said that what is in the way may be left behind'),
  abandoned: z.array(abandonedResource).optional().describe('Left behind by force, and watched since'),
});

/** Proof that nothing was left, or what was: found by a listing by owner tag, since a delete call that succeeds proves nothing. */
export const deletionProof = z.object({
  tag: z.string().describe('Owner tag that was listed by, as key=value'),
  inventoryEmptyAt: z.string().optional().describe('When the listing by tag was empty, in UTC; absent: it was not'),
  abandoned: z.array(abandonedResource),
  keptVolumes: z
    .array(z.string())
    .optional()
    .describe('Volumes that outlive the cluster on purpose: by their reclaim policy, or because somebody said so'),
});

/** The same by `kind` and `name`: while it is in the way it keeps its `since`. */
export type Blocker = z.output<typeof blocker>;
/** Nobody removes it any more: it may go on to cost money. */
export type AbandonedResource = z.output<typeof abandonedResource>;
/** `at` is RFC 3339, in UTC, and set by the server, as `by` is. */
export type DeletionForced = z.output<typeof deletionForced>;
/** Absent of an object that is not being deleted. */
export type DeletionStatus = z.output<typeof deletionStatus>;
