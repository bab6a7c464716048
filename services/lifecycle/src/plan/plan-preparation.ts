import type { Cluster, Consequences, Plan, PlanBasis, PlanPreview } from '@crate/api';
import type { CallContext, ResourceApi, TypedClient } from '@crate/resource-client';
import { jsonEqual } from '@crate/resource-server';
import type { ConsequenceResolver } from './consequences/consequence-resolver.js';
import { decidedBy, factsOf } from './plan-facts.js';
import { currentRevisions, type RevisionPorts } from './revisions.js';
import { WishedWrite } from './wished-write.js';

/** What a plan was found to be. */
export interface Prepared {
  readonly basis: PlanBasis;
  readonly wanted?: Readonly<Record<string, unknown>>;
  readonly consequences: Consequences;
  /** The cluster as it is. */
  readonly cluster?: Cluster;
}

export interface PreparationPorts extends RevisionPorts {
  readonly api: ResourceApi;
  readonly clusters: Pick<TypedClient<Cluster>, 'find'>;
  readonly consequences: ConsequenceResolver;
}

/** Works out what a plan leads to, in the world as it is now. Changes nothing. */
export class PlanPreparation {
  constructor(private readonly ports: PreparationPorts) {}

  /** Throws what admission throws where the cluster may not become that, and what cloud-mgmt throws. */
  async prepare(plan: Plan, context: CallContext): Promise<Prepared> {
    const { name } = plan.spec.clusterRef;
    const cluster = await this.ports.clusters.find(name, plan.metadata.namespace);
    // Asked for first: what changes meanwhile makes the plan look older than it is, never newer.
    const revisions = await currentRevisions(this.ports);
    const after = await new WishedWrite(this.ports.api, decidedBy(context, factsOf(plan))).run(plan, cluster, {
      dryRun: true,
    });
    const change = { ...(cluster ? { before: cluster } : {}), ...(after ? { after } : {}) };
    const preview = await this.ports.consequences.preview(change, context);
    const consequences = await this.ports.consequences.resolve(change, preview, context);
    return {
      basis: { ...basisOf(cluster, preview), ...revisions },
      ...(after ? { wanted: { ...after.spec } } : {}),
      consequences,
      ...(cluster ? { cluster } : {}),
    };
  }
}

function basisOf(
  cluster: Cluster | undefined,
  { account, stateSerial, digest, release }: PlanPreview,
): Omit<PlanBasis, 'policyRevision' | 'catalogueRevision'> {
  const { uid, generation, resourceVersion } = cluster?.metadata ?? {};
  return {
    ...(uid === undefined ? {} : { clusterUid: uid }),
    ...(generation === undefined ? {} : { generation }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(account === undefined ? {} : { account }),
    ...(stateSerial === undefined ? {} : { stateSerial }),
    digest,
    ...(release === undefined ? {} : { release }),
  };
}

/** What of the world has moved since a plan was made, for a person to read; nothing when it stands. Pure. */
export function movedSince(
  then: { readonly basis: PlanBasis; readonly wanted?: unknown },
  now: Pick<Prepared, 'basis' | 'wanted'>,
): readonly string[] {
  const moved = (name: keyof PlanBasis, what: string): string[] =>
    then.basis[name] === now.basis[name]
      ? []
      : [`${what} is ${shown(now.basis[name])}, it was ${shown(then.basis[name])}`];
  const isSameCluster = then.basis.clusterUid === now.basis.clusterUid;
  return [
    ...moved('clusterUid', 'the uid of the cluster'),
    ...(isSameCluster ? moved('generation', 'the generation of the cluster') : []),
    // The digest tells no account from another: nothing of a stack names it.
    ...(then.basis.account && now.basis.account ? moved('account', 'the account at the provider') : []),
    ...moved('stateSerial', 'the serial of the Terraform state'),
    ...moved('policyRevision', 'the revision of the policies'),
    ...moved('catalogueRevision', 'the revision of the catalogue'),
    ...(jsonEqual(then.wanted, now.wanted) ? [] : ['what is filled in for the cluster is not the same']),
    ...(then.basis.digest === now.basis.digest ? [] : [`Terraform would do something else${whyOtherwise(then, now)}`]),
  ];
}

/** Another version may write another configuration for the same spec; alone it moves nothing. */
function whyOtherwise({ basis: then }: Pick<Prepared, 'basis'>, { basis: now }: Pick<Prepared, 'basis'>): string {
  if (then.release === now.release) return '';
  return `, as the platform was upgraded from ${then.release ?? 'an older version'} to ${now.release ?? 'an older version'}`;
}

function shown(value: string | number | undefined): string {
  return value === undefined ? 'none' : String(value);
}
