import type { Cluster } from '@crate/api';
import { jsonEqual, type AdmissionHook } from '@crate/resource-server';
import { forbiddenCluster } from '../cluster/cluster.forbidden.js';
import { brokenConstraints, type ClassResolver } from './class-resolver.js';

/** Refuses a cluster that breaks a constraint of its class: 403, one cause each. Asked about new specs only. */
export function constraintAdmission(resolver: ClassResolver): AdmissionHook {
  return async ({ operation, object, oldObject, dryRun }) => {
    if (operation === 'DELETE' || (oldObject && jsonEqual(object['spec'], oldObject['spec']))) return undefined;
    const cluster = object as Cluster;
    const { classRef } = cluster.spec;
    const owner = classRef && (await resolver.classes.find(classRef.name));
    if (!owner || classRef.revision === undefined) return undefined;
    const newest = await resolver.revisions.current(owner, dryRun);
    const isNewest = newest.spec.revision === classRef.revision;
    const revision = isNewest ? newest : await resolver.revisions.find(classRef.name, classRef.revision);
    if (!revision) return undefined;
    const broken = brokenConstraints(resolver.compiledOf(revision), cluster);
    if (broken.length > 0) throw refusal(cluster, classRef.name, broken);
    return undefined;
  };
}

function refusal(
  { metadata: { name } }: Cluster,
  className: string,
  broken: readonly { readonly field: string; readonly message: string }[],
): Error {
  const causes = broken.map(({ field, message }) => ({
    reason: 'FieldValueInvalid',
    field,
    message: `Invalid value: ${message} (a constraint of ClusterClass "${className}")`,
  }));
  return forbiddenCluster(name, causes);
}
