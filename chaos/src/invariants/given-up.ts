import type { CloudObject } from '../world/cloud-journal.js';
import type { World } from '../world/world.js';

const OWNER = 'crate.dev/infrastructure-uid';

interface DeletionRecordSpec {
  readonly infrastructure: { readonly uid: string };
  readonly forced?: { readonly by: string; readonly reason: string };
  readonly proof: { readonly abandoned: readonly { readonly name: string }[] };
}

/** Whether somebody gave an object up, by name, with a force that is on record. */
export function isGivenUp({ deletionRecords }: Pick<World, 'deletionRecords'>, { tags, id }: CloudObject): boolean {
  return deletionRecords.some((record) => {
    const { infrastructure, forced, proof } = record.spec as unknown as DeletionRecordSpec;
    // What a cluster made has no such tag.
    const { [OWNER]: owner = infrastructure.uid } = tags;
    if (infrastructure.uid !== owner || !forced?.by || !forced.reason) return false;
    return proof.abandoned.some(({ name }) => name === id);
  });
}
