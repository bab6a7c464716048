import type { AwsClusterInput } from './input.js';
import { uniqueName } from './names.js';

/** What stands in a stack just because it belongs to one owner and not to another. */
export interface IdentifyingTexts {
  readonly infrastructureUid: string;
  readonly clusterUid: string;
  /** Part of names that are unique per account. */
  readonly nameHash: string;
  readonly sshPublicKey: string;
}

const HASH_AND_DASH = 9;

/** Two stacks that differ in nothing but these ask for the same. Pure. */
export function identifyingTexts(input: AwsClusterInput): IdentifyingTexts {
  const { infrastructureUid, clusterUid, sshPublicKey } = input;
  const nameHash = uniqueName(input, '', HASH_AND_DASH).slice(1);
  return { infrastructureUid, clusterUid, nameHash, sshPublicKey };
}
