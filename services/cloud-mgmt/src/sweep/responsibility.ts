import { isConditionTrue, type CloudAccount } from '@crate/api';
import { OWNER_TAGS } from '@crate/infra-aws';
import type { ListedResource, LiveOwner } from './sweep-world.js';

export interface Surroundings {
  /** Every CloudAccount of the installation. */
  readonly accounts: readonly CloudAccount[];
  readonly live: ReadonlyMap<string, LiveOwner>;
}

/**
 * Whether resources whose owner does not live in this CloudAccount are its to tell of. Several Projects may have a CloudAccount for one
 * and the same account at the provider: each resource is told once, in its own Project where that has one, so that no Project
 * reads of another's. Of several, one whose credentials work: the others look at nothing. Pure.
 */
export function isResponsibleFor(
  account: CloudAccount,
  { accounts, live }: Surroundings,
): (resource: ListedResource) => boolean {
  const same = accounts.filter((one) => isSameAccount(one, account)).sort(readyFirst);
  return ({ tags }) => {
    const owner = live.get(tags[OWNER_TAGS.infrastructureUid] ?? '');
    // Its own CloudAccount sees it too.
    if (owner && same.some((one) => isAccountOf(one, owner))) return false;
    const ofProject = same.find(({ metadata }) => metadata.namespace === tags[OWNER_TAGS.project]);
    const teller = ofProject ?? same[0];
    return teller?.metadata.uid === account.metadata.uid;
  };
}

function isSameAccount({ spec, metadata }: CloudAccount, { spec: other }: CloudAccount): boolean {
  const isStaying = metadata.deletionTimestamp === undefined;
  return isStaying && spec.provider === other.provider && spec.accountId === other.accountId;
}

function isAccountOf({ metadata }: CloudAccount, { infrastructure }: LiveOwner): boolean {
  const { metadata: owner, spec } = infrastructure;
  return owner.namespace === metadata.namespace && spec.accountRef.name === metadata.name;
}

function readyFirst(left: CloudAccount, right: CloudAccount): number {
  return rank(left) < rank(right) ? -1 : 1;
}

function rank({ metadata: { namespace, name }, status }: CloudAccount): string {
  return `${isConditionTrue(status?.conditions, 'Ready') ? 0 : 1} ${namespace}/${name}`;
}
