import type { ClusterNode, KubeObject } from '@crate/api';
import type { TargetCluster } from '@crate/kubernetes';
import { POOL_LABEL } from '../engine/rke/rke-config.js';
import { refOf } from '../drain/claim-users.js';
import type { SharedClock } from '../shared-clock.js';
import { listNodes } from './list-nodes.js';
import { uncordon } from './node-mark.js';
import { SILENCE_MS, silentForMs } from './node-silence.js';
import { isForWorkloads, setRoleTaints } from './role-taints.js';

export interface Tended {
  /** As they were just listed. */
  readonly nodes: readonly KubeObject[];
  readonly wanted: readonly ClusterNode[];
  readonly sharedClock: SharedClock;
  readonly allow: () => Promise<void>;
}

/**
 * The nodes of a cluster whose engine is done, put right: one that is wanted again after it was cordoned to leave takes workloads again,
 * those of the control plane take new ones only where there is no worker, and what is left of a machine that nobody asks for goes once its
 * kubelet has been silent for a minute, because no run of the engine knows of it any more. `allow` is asked before anything goes, and throws.
 * Gives the nodes as they are then. A second call writes nothing.
 */
export async function tendNodes(
  target: TargetCluster,
  { nodes, wanted, sharedClock, allow }: Tended,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const forWorkloads = isForWorkloads(nodes, wanted);
  const askedFor = ({ metadata }: KubeObject): ClusterNode | undefined =>
    wanted.find(({ name }) => name === metadata.name);
  for (const node of nodes) {
    const asked = askedFor(node);
    if (!asked) continue;
    const open = await uncordon(target, node, signal);
    if (asked.role !== 'control-plane' || forWorkloads === undefined) continue;
    await setRoleTaints(target, open, forWorkloads, signal);
  }
  const unasked = nodes.filter((node) => !askedFor(node) && isOfPool(node));
  if (unasked.length === 0) return nodes;
  const now = (await sharedClock())();
  const remains = unasked.filter((node) => silentForMs(node, now) >= SILENCE_MS);
  if (remains.length === 0) return nodes;
  await allow();
  for (const node of remains) await target.remove(refOf(node), signal);
  return listNodes(target, signal);
}

/** Nodes that people have made stay. So do those whose kubelet is there: they may be wanted by a document that is not on record. */
function isOfPool({ metadata }: KubeObject): boolean {
  return metadata.labels?.[POOL_LABEL] !== undefined;
}
