import { isDeepStrictEqual } from 'node:util';
import type { Policy } from '@crate/api';
import { hasCode } from '@crate/errors';
import type { PackedPolicy } from '@crate/policy-engine';
import type { TypedClient } from '@crate/resource-client';

/** Says which pack a Policy came from. */
export const PACK_LABEL = 'policy.crate.dev/pack';

/** Set to "true" on a Policy of a pack, it leaves the Policy to its editors: a start changes and removes it no more. */
export const UNMANAGED_ANNOTATION = 'policy.crate.dev/unmanaged';

const FIELD_MANAGER = 'policy-packs';

/**
 * Makes the stored rules what the packs say: makes and corrects theirs, removes those that left a pack, and touches no
 * other. Writes nothing when nothing differs. Safe with several replicas starting at once.
 */
export async function publishPacks(policies: TypedClient<Policy>, packs: readonly PackedPolicy[]): Promise<void> {
  const stored = new Map((await policies.list()).map((policy) => [policy.metadata.name, policy]));
  for (const packed of packs) {
    const known = stored.get(packed.name);
    if (known && (isUnmanaged(known) || isAsPacked(known, packed))) continue;
    await publish(policies, packed);
  }
  const shipped = new Set(packs.map(({ name }) => name));
  for (const policy of stored.values()) {
    const isLeftOver = policy.metadata.labels?.[PACK_LABEL] !== undefined && !shipped.has(policy.metadata.name);
    if (isLeftOver && !isUnmanaged(policy)) await policies.remove(policy.metadata.name);
  }
}

async function publish(policies: TypedClient<Policy>, { name, pack, spec }: PackedPolicy): Promise<void> {
  const draft = { metadata: { name, labels: { [PACK_LABEL]: pack } }, spec };
  try {
    await policies.ensure(draft, FIELD_MANAGER);
  } catch (error) {
    // Another replica made it at the same moment; applying the same once more changes nothing.
    if (!hasCode(error, 'Conflict', 'AlreadyExists')) throw error;
    await policies.ensure(draft, FIELD_MANAGER);
  }
}

function isUnmanaged(policy: Policy): boolean {
  return policy.metadata.annotations?.[UNMANAGED_ANNOTATION] === 'true';
}

function isAsPacked(policy: Policy, packed: PackedPolicy): boolean {
  return policy.metadata.labels?.[PACK_LABEL] === packed.pack && isDeepStrictEqual(policy.spec, packed.spec);
}
