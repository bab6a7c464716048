import { toTimestamp, type KubeObject } from '@crate/api';
import type { TargetCluster } from '@crate/kubernetes';

/** On a node that is on its way out: since when. With it a drain goes on where another process left it. */
const MARK = 'cluster.crate.dev/leaving-since';
const MANAGER = 'crate-nodes';

/** When it was cordoned to leave; undefined when it was not. */
export function leavingSince({ metadata }: KubeObject): Date | undefined {
  const mark = metadata.annotations?.[MARK];
  return mark === undefined ? undefined : new Date(mark);
}

/** Lets nothing new come to a node that is to leave. Gives it as it is then; idempotent. */
export async function cordon(
  target: TargetCluster,
  node: KubeObject,
  now: Date,
  signal: AbortSignal,
): Promise<KubeObject> {
  if (leavingSince(node)) return node;
  return mark(target, node, { annotations: { [MARK]: toTimestamp(now) }, unschedulable: true }, signal);
}

/** Takes back what `cordon` did, for a node that is wanted again. Gives it as it is then; idempotent. */
export async function uncordon(target: TargetCluster, node: KubeObject, signal: AbortSignal): Promise<KubeObject> {
  return leavingSince(node) ? mark(target, node, { annotations: {}, unschedulable: false }, signal) : node;
}

function mark(
  target: TargetCluster,
  { metadata: { name, uid } }: KubeObject,
  { annotations, unschedulable }: { readonly annotations: Record<string, string>; readonly unschedulable: boolean },
  signal: AbortSignal,
): Promise<KubeObject> {
  // With its uid, or a node that left meanwhile would be made anew.
  const metadata = { name, uid, annotations };
  const stated = { apiVersion: 'v1', kind: 'Node', metadata, spec: { unschedulable } };
  return target.applyObject(stated, { fieldManager: MANAGER, force: true }, signal);
}
