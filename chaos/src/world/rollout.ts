import { countOf, livingOf, minorOf, refOf, stateOf, type Template } from './class-fields.js';
import { conditionOf, type KubeObject } from './kube-object.js';

/** Why a rollout stands still until somebody does something. */
export const STANDING_STILL = ['Manual', 'Paused', 'TooManyFailures'];
/** The same, as none of its clusters can be moved: which is looked at. */
export const STALLED = 'Stalled';

/** Whether nothing more is to be expected of a class, whose clusters are these. */
export function isAtRest(owner: KubeObject, clusters: readonly KubeObject[]): boolean {
  const told = conditionOf(owner, 'RolledOut');
  if (owner.status?.observedGeneration !== owner.metadata.generation) return false;
  if (countOf(owner, 'total') !== clusters.filter((one) => refOf(one)?.name === owner.metadata.name).length)
    return false;
  if (told?.reason === STALLED) return isStalled(owner, clusters);
  return told?.status === 'True' || STANDING_STILL.includes(told?.reason ?? '');
}

/** Whether those that are behind cannot follow: Kubernetes does not go back. What users pause is taken up again before anybody looks. */
export function isStalled(owner: KubeObject, clusters: readonly KubeObject[]): boolean {
  const behind = behindOf(owner, clusters);
  const newest = minorOf(owner.spec?.['template'] as Template);
  return behind.length > 0 && behind.every(({ spec }) => minorOf(spec as Template) > newest);
}

/** Clusters of a class that are elsewhere, and not by anybody's will. */
export function behindOf(owner: KubeObject, clusters: readonly KubeObject[]): readonly KubeObject[] {
  const isBehind = (cluster: KubeObject): boolean =>
    stateOf(cluster)?.pinned !== true && refOf(cluster)?.revision !== owner.status?.['revision'];
  return livingOf({ clusters }).filter((one) => refOf(one)?.name === owner.metadata.name && isBehind(one));
}
