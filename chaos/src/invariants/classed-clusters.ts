import { isReady, nameOf } from '../world/kube-object.js';
import { livingOf, markOf, ofClass, refOf, revisionOf, stateOf, type Template } from '../world/class-fields.js';
import type { Invariant, Violation } from './invariant.js';

/** 2: a cluster says the revision of its class that it is made of, there is such a one, and it is so. */
export const classedClustersStand: Invariant = (world) =>
  livingOf(world).flatMap((cluster): Violation[] => {
    const { name, revision } = refOf(cluster) ?? { name: '' };
    const of = world.classRevisions.find((one) => revisionOf(one) === revision && ofClass(one) === name);
    const what = `${nameOf(cluster)} is of revision ${revision} of class ${name}`;
    if (!of) return [violation(`${what}, of which there is none`)];
    const broken: string[] = [];
    const [said, is] = [markOf(of.spec?.['template'] as Template), markOf(cluster.spec as Template)];
    if (said !== is) broken.push(`its nodes have the mark ${is} instead of ${said}`);
    const told = stateOf(cluster)?.revision;
    if (isReady(cluster) && told !== revision) broken.push(`its status says ${told}`);
    return broken.map((text) => violation(`${what}, but ${text}`));
  });

function violation(message: string): Violation {
  return { invariant: 'a cluster of a class is what its revision says', message };
}
