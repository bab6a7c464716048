import { CONTROLLER_REVISION, type ControllerRevision, type StatefulSet } from '../kinds/workloads.js';
import type { PodTemplate } from '../kinds/pod-spec.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { controllerReference } from './pods.js';
import { templateHash } from './template-hash.js';

/** Name of the revision that a set's template is now. */
export function revisionName({ metadata, spec }: StatefulSet): string {
  return `${metadata.name}-${templateHash(spec.template)}`;
}

/**
 * Keeps the set's template as a revision, as Kubernetes' controller does: one that is there already becomes the newest again. Gives the name.
 * Source: https://kubernetes.io/docs/tasks/manage-daemon/rollback-daemon-set/#understanding-daemonset-revisions
 */
export async function ensureRevision(set: StatefulSet, scope: ClusterScope): Promise<string> {
  const name = revisionName(set);
  const all = scope.cache.ownedBy(CONTROLLER_REVISION, set.metadata.uid);
  const newest = Math.max(0, ...all.map(({ revision }) => revision));
  const found = all.find(({ metadata }) => metadata.name === name);
  if (found?.revision === newest) return name;
  if (found) {
    await scope.update(CONTROLLER_REVISION, found, { revision: newest + 1 });
    return name;
  }
  const { namespace = '' } = set.metadata;
  const { labels } = set.spec.template.metadata ?? {};
  await scope.ensure(CONTROLLER_REVISION, {
    metadata: { name, namespace, ownerReferences: [controllerReference(set)], ...(labels ? { labels } : {}) },
    data: { spec: { template: { ...set.spec.template, $patch: 'replace' } } },
    revision: newest + 1,
  });
  return name;
}

/** The template that a revision has; undefined when nobody kept it. */
export function templateOf(name: string, { metadata }: StatefulSet, { cache }: ClusterScope): PodTemplate | undefined {
  const data = cache.find(CONTROLLER_REVISION, name, metadata.namespace)?.data;
  const { template } = (data?.['spec'] ?? {}) as { readonly template?: PodTemplate & { readonly $patch?: string } };
  if (!template) return undefined;
  const { $patch: _, ...kept } = template;
  return kept;
}

/** Removes the oldest of those that nothing uses, down to the set's limit. */
export async function removeOldRevisions(
  set: StatefulSet,
  used: ReadonlySet<string>,
  scope: ClusterScope,
): Promise<void> {
  const unused = scope.cache
    .ownedBy<ControllerRevision>(CONTROLLER_REVISION, set.metadata.uid)
    .filter(({ metadata }) => !used.has(metadata.name))
    .sort((left, right) => left.revision - right.revision);
  const surplus = unused.slice(0, Math.max(0, unused.length - set.spec.revisionHistoryLimit));
  for (const revision of surplus) await scope.remove(CONTROLLER_REVISION, revision);
}
