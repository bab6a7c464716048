import { isJsonObject } from '@crate/api';
import { isDeepStrictEqual } from 'node:util';
import type { Policy } from '@crate/api';
import { hasCode } from '@crate/errors';
import { catalogued, type PackedPolicy } from '@crate/policy-engine';
import type { TypedClient } from '@crate/resource-client';

/** Says which pack a Policy came from. */
export const PACK_LABEL = 'policy.crate.dev/pack';

/** Says which source that pack came from, so that its rules can stay while it cannot be read. */
export const SOURCE_LABEL = 'policy.crate.dev/pack-source';

/** Set to "true" on a Policy of a pack, it leaves the Policy to its editors: a start changes and removes it no more. */
export const UNMANAGED_ANNOTATION = 'policy.crate.dev/unmanaged';

const FIELD_MANAGER = 'policy-packs';

/** At once: what is written together is committed together, and the first start writes hundreds. */
const WRITES = 16;

/** The rules of one source, or undefined when it could not be read. */
export interface ReadSource {
  /** Of `PackSource`. */
  readonly label: string;
  readonly policies: readonly PackedPolicy[] | undefined;
}

/**
 * Makes the stored rules what the packs say: makes and corrects theirs, removes those that left a pack or whose source is configured no more, and touches no
 * other. Rules of a source that could not be read stay as they are. Writes nothing when nothing differs. Safe with several replicas at once.
 */
export async function publishPacks(policies: TypedClient<Policy>, sources: readonly ReadSource[]): Promise<void> {
  const stored = new Map((await policies.list()).map((policy) => [policy.metadata.name, policy]));
  const packs = sources.flatMap(({ label, policies: packed = [] }) => packed.map((policy) => ({ ...policy, label })));
  await someAtOnce(packs, WRITES, async (packed) => {
    const known = stored.get(packed.name);
    if (known && (isUnmanaged(known) || isAsPacked(known, packed))) return;
    if (known && catalogued(known).unreadable) await rewrite(policies, known, packed);
    await publish(policies, packed);
  });
  const shipped = new Set(packs.map(({ name }) => name));
  const unread = new Set(sources.flatMap(({ label, policies: packed }) => (packed ? [] : [label])));
  for (const policy of stored.values()) {
    const isLeftOver = isOfPack(policy) && !shipped.has(policy.metadata.name) && !unread.has(sourceOf(policy));
    if (isLeftOver && !isUnmanaged(policy)) await policies.remove(policy.metadata.name);
  }
}

/** Whether a rule came from a pack. */
export function isOfPack({ metadata: { labels } }: Policy): boolean {
  return labels?.[PACK_LABEL] !== undefined;
}

/** The label of the source that a rule came from; empty when it came from none. */
export function sourceOf({ metadata: { labels } }: Policy): string {
  return labels?.[SOURCE_LABEL] ?? '';
}

interface SourcedPolicy extends PackedPolicy {
  readonly label: string;
}

async function publish(policies: TypedClient<Policy>, { name, pack, label, spec }: SourcedPolicy): Promise<void> {
  const draft = { metadata: { name, labels: { [PACK_LABEL]: pack, [SOURCE_LABEL]: label } }, spec };
  try {
    await policies.ensure(draft, FIELD_MANAGER);
  } catch (error) {
    // Another replica made it at the same moment; applying the same once more changes nothing.
    if (!hasCode(error, 'Conflict', 'AlreadyExists')) throw error;
    await policies.ensure(draft, FIELD_MANAGER);
  }
}

/** Throws the first error, once nothing is under way any more. */
async function someAtOnce<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const lane = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  const lanes = await Promise.allSettled(Array.from({ length: width }, lane));
  const failed = lanes.find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Fields of an earlier shape belong to whoever wrote them, so stating others leaves them there: they are taken out by name. */
async function rewrite(
  policies: TypedClient<Policy>,
  { metadata, spec }: Policy,
  packed: SourcedPolicy,
): Promise<void> {
  await policies.merge(metadata.name, undefined, { spec: mergePatch(spec, packed.spec) });
}

/** Source: https://www.rfc-editor.org/rfc/rfc7386 */
function mergePatch(from: unknown, to: unknown): unknown {
  if (!isJsonObject(from) || !isJsonObject(to)) return to;
  const gone = Object.keys(from).filter((key) => to[key] === undefined);
  const kept = Object.entries(to).map(([key, value]) => [key, mergePatch(from[key], value)] as const);
  return { ...Object.fromEntries(gone.map((key) => [key, null])), ...Object.fromEntries(kept) };
}

function isUnmanaged(policy: Policy): boolean {
  return policy.metadata.annotations?.[UNMANAGED_ANNOTATION] === 'true';
}

function isAsPacked(policy: Policy, packed: SourcedPolicy): boolean {
  const isSame = policy.metadata.labels?.[PACK_LABEL] === packed.pack && sourceOf(policy) === packed.label;
  return isSame && isDeepStrictEqual(policy.spec, packed.spec);
}
