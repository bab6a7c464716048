import { CLUSTER, PROJECT, type Cluster, type Project } from '@crate/api';
import { forbidden, notFound, type PlatformError } from '@crate/errors';
import type { AdmissionHook, AdmissionRequest } from '@crate/resource-server';
import { digestOf, type ResourceStore, type StoreGuard } from '@crate/resource-store';
import { CountedUsage } from './counted-usage.js';
import type { ProjectOfWrite } from './project-of-write.js';
import { isTerminating, projectTerminating } from './project-terminating.js';
import { requireNone, unknownTypes } from './project-unknown-types.js';
import { QUOTA_NAMES, usageOf, type Usage } from './project-usage.js';

const PROJECTS = { group: PROJECT.group, kind: PROJECT.kind };

/** What a refusal is about, in the document that was sent. */
const FIELDS: Readonly<Record<keyof Usage, string>> = {
  clusters: 'metadata.name',
  nodes: 'spec.nodePools',
  vcpu: 'spec.nodePools',
};

/**
 * Keeps the clusters of a Project within its quotas (403 that says used, asked and limit), over any number of replicas: usage is
 * counted from the clusters there are, and the write is stored only while these, and the Project, are as they were counted.
 * What does not grow is never refused, so that a quota below what is used stops growth and nothing else; under a quota of virtual
 * CPUs, machines of a type that nobody knows count as growth that is too much. A Project that is being deleted takes no new cluster.
 */
export function quotaAdmission(projects: ProjectOfWrite, store: Pick<ResourceStore, 'list'>): AdmissionHook {
  const usage = new CountedUsage(store);
  return async (request) => {
    if (request.operation === 'DELETE') return undefined;
    const [asked, unknown] = [growthOf(request), unknownTypes(request)];
    if (unknown.length === 0 && QUOTA_NAMES.every((name) => asked[name] <= 0)) return undefined;
    const namespace = request.object.metadata.namespace ?? '';
    const project = await projects.find(request);
    if (!project) throw notFound(PROJECT.plural, namespace, PROJECT.group);
    if (request.operation === 'CREATE' && isTerminating(project))
      throw projectTerminating(CLUSTER, request.object.metadata.name, namespace);
    if (project.spec.quotas.vcpu !== undefined) requireNone(unknown, request.object as Cluster);
    const guard = { ...PROJECTS, namespace: '', name: namespace, digest: digestOf([project]) };
    return { guards: [guard, ...(await judge(request, project, asked, usage))] };
  };
}

/** What the write adds to the usage of its Project. */
function growthOf({ object, oldObject }: AdmissionRequest): Usage {
  const [before, after] = [oldObject, object].map((each) => usageOf(each ? [each as Cluster] : []));
  const difference = (name: keyof Usage): number => (after?.[name] ?? 0) - (before?.[name] ?? 0);
  return { clusters: difference('clusters'), nodes: difference('nodes'), vcpu: difference('vcpu') };
}

async function judge(
  { object }: AdmissionRequest,
  { metadata, spec: { quotas } }: Project,
  asked: Usage,
  usage: CountedUsage,
): Promise<readonly StoreGuard[]> {
  const limited = QUOTA_NAMES.filter((name) => quotas[name] !== undefined && asked[name] > 0);
  if (limited.length === 0) return [];
  const { used, guard } = await usage.of(metadata.name);
  const exceeded = limited
    .map((name) => ({ name, used: used[name], asked: asked[name], limit: quotas[name] ?? 0 }))
    .filter((quota) => quota.used + quota.asked > quota.limit);
  if (exceeded.length > 0) throw refusal(object as Cluster, metadata.name, exceeded);
  return [guard];
}

interface Exceeded {
  readonly name: keyof Usage;
  readonly used: number;
  readonly asked: number;
  readonly limit: number;
}

function refusal({ metadata: { name } }: Cluster, project: string, exceeded: readonly Exceeded[]): PlatformError {
  const line = ({ name: quota, used, asked, limit }: Exceeded): string =>
    `${quota}: used ${used}, requested ${asked} more, limited to ${limit}`;
  const remedy = `Ask for less, delete or shrink other clusters of the Project, or have a platform administrator raise spec.quotas of Project "${project}"`;
  const text = `${CLUSTER.plural}.${CLUSTER.group} "${name}" is forbidden: exceeded quota of Project "${project}": `;
  return forbidden(`${text}${exceeded.map(line).join('; ')}. ${remedy}`, {
    group: CLUSTER.group,
    kind: CLUSTER.plural,
    name,
    reason: 'QuotaExceeded',
    remedy,
    causes: exceeded.map((quota) => ({ reason: 'QuotaExceeded', field: FIELDS[quota.name], message: line(quota) })),
  });
}
