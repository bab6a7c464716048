import {
  highestImpact,
  impactOfChange,
  isExisting,
  PLACEHOLDER_SSH_KEY,
  type AddOn,
  type AddOnInstallation,
  type Cluster,
  type Consequences,
  type Infrastructure,
  type KubernetesCluster,
  type PlanPreview,
  type PolicyReviewResponse,
  type Project,
} from '@crate/api';
import type { PolicyReviewer } from '@crate/messaging';
import type { PriceList } from '@crate/pricing';
import type { CallContext, TypedClient } from '@crate/resource-client';
import { chosenAddOns, unwantedNeeds } from '../../add-on/add-on.choice.js';
import { clusterFacts, type ClusterFacts } from '../../add-on/add-on.facts.js';
import { asAsked } from '../../add-on/add-on.needed.js';
import { installationOrder } from '../../add-on/add-on.order.js';
import type { AccountProviders } from '../../cluster/account-providers.js';
import { childSelector } from '../../cluster/cluster.children.js';
import { clusterReview } from '../../cluster/cluster.policy.js';
import { childLabels } from '../../cluster/cluster.children.js';
import { infrastructureSpec } from '../../cluster/phases/infrastructure.phase.js';
import type { CloudPlanner } from '../cloud-planner.js';
import { addOnChanges } from './add-on-changes.js';
import { costChange } from './cost-change.js';
import { nodeChanges } from './node-changes.js';
import { quotaChanges } from './quota-changes.js';

/** A cluster as it is and as it is wished for; without `after` it is deleted, without `before` it is new. */
export interface ClusterChange {
  readonly before?: Cluster;
  readonly after?: Cluster;
}

export interface ConsequencePorts {
  readonly planner: CloudPlanner;
  readonly policies: PolicyReviewer;
  readonly providers: Pick<AccountProviders, 'of'>;
  readonly catalogue: TypedClient<AddOn>;
  readonly clusters: Pick<TypedClient<Cluster>, 'list'>;
  readonly projects: Pick<TypedClient<Project>, 'find'>;
  readonly installations: Pick<TypedClient<AddOnInstallation>, 'list'>;
  readonly kubernetesClusters: Pick<TypedClient<KubernetesCluster>, 'find'>;
  readonly infrastructures: Pick<TypedClient<Infrastructure>, 'find'>;
  readonly prices: PriceList;
}

/** Stands for the uid of a cluster that nobody has made yet. */
const NO_UID = 'not-made-yet';

/** Of a cluster that was there before: Terraform has nothing to do with it. */
const NOTHING_IN_THE_CLOUD: PlanPreview = {
  digest: 'none',
  counts: { create: 0, update: 0, replace: 0, destroy: 0, import: 0, forget: 0 },
  resources: [],
  omittedChanges: 0,
  impact: { impact: 'none', address: '' },
  review: { allowed: true, violations: [] },
};

/** Works out what a change leads to. Changes nothing. */
export class ConsequenceResolver {
  constructor(private readonly ports: ConsequencePorts) {}

  /** What Terraform would do. Throws what cloud-mgmt throws. */
  async preview({ before, after }: ClusterChange, context: CallContext): Promise<PlanPreview> {
    const cluster = (after ?? before) as Cluster;
    if (isExisting(cluster)) return NOTHING_IN_THE_CLOUD;
    const { name, namespace = '' } = cluster.metadata;
    const kubernetes = before && (await this.ports.kubernetesClusters.find(name, namespace));
    const key = kubernetes?.status?.sshPublicKey ?? PLACEHOLDER_SSH_KEY;
    const uid = before?.metadata.uid ?? NO_UID;
    const spec = infrastructureSpec({ ...cluster, metadata: { ...cluster.metadata, uid } }, key);
    // Its cloud is the account's, which cloud-mgmt knows; the rest is as its children would carry it.
    const labels = childLabels({ cluster: { ...cluster, metadata: { ...cluster.metadata, uid } } });
    return this.ports.planner.preview({ namespace, name, spec, labels, destroy: after === undefined }, context);
  }

  /** Everything else, with what Terraform would do where that is known. Throws Unavailable when policy-mgmt does not answer. */
  async resolve(change: ClusterChange, found: PlanPreview | undefined, context: CallContext): Promise<Consequences> {
    const { before, after } = change;
    const cluster = (after ?? before) as Cluster;
    // What Terraform has no part in is not said of it.
    const preview = isExisting(cluster) ? undefined : found;
    const namespace = cluster.metadata.namespace ?? '';
    const installed = before?.status?.addOns?.map(({ name }) => name);
    const fields = before && after ? impactOfChange(before.spec, after.spec, installed) : [];
    const [project, clusters, addOns, admission] = await Promise.all([
      this.ports.projects.find(namespace),
      this.ports.clusters.list({ namespace }),
      this.addOns(change),
      this.admission(change, context),
    ]);
    return {
      impact: impactOf(change, fields, preview),
      fields: [...fields],
      ...(preview ? { terraform: terraformOf(preview) } : {}),
      nodes: [...nodeChanges(change, fields, preview?.resources)],
      addOns: [...addOns],
      policy: {
        admission: verdictOf(admission),
        ...(preview ? { plan: verdictOf(preview.review) } : {}),
      },
      quota: quotaChanges(project, clusters, change),
      cost: costChange(this.ports.prices, change),
    };
  }

  /** As it would be asked when the change is made. */
  private async admission({ before, after }: ClusterChange, context: CallContext): Promise<PolicyReviewResponse> {
    const cluster = (after ?? before) as Cluster;
    const { caller, traceId, signal: remoteSignal } = context;
    const provider = await this.ports.providers.of(cluster).catch(() => undefined);
    const operation = !after ? 'DELETE' : before ? 'UPDATE' : 'CREATE';
    const request = clusterReview(cluster, { operation, before, caller, dryRun: true, provider });
    return this.ports.policies.review(request, { caller, traceId, ...(remoteSignal ? { remoteSignal } : {}) });
  }

  private async addOns({ before, after }: ClusterChange): Promise<Consequences['addOns']> {
    const installed = before
      ? await this.ports.installations.list({
          namespace: before.metadata.namespace ?? '',
          labelSelector: childSelector(before),
        })
      : [];
    if (!after) return [...addOnChanges(installed, [], { asked: [], facts: undefined })];
    const asked = after.spec.addOns;
    const provider = await this.ports.providers.of(after).catch(() => undefined);
    const offered = new Map((await this.ports.catalogue.list()).map((addOn) => [addOn.metadata.name, addOn]));
    const present = new Set(installed.filter(({ spec }) => spec.unasked).map(({ spec }) => spec.addOn));
    const chosen = chosenAddOns(asked, offered, { provider, present });
    const order = installationOrder(
      chosen.map(({ name }) => name),
      asAsked(asked, offered),
    );
    // Something that it does not want would come along: none is touched then.
    if (unwantedNeeds(asked, order).length > 0) return [];
    const facts = before && (await this.factsOf(after, provider));
    return [...addOnChanges(installed, order, { asked, facts })];
  }

  /** Undefined while cloud-mgmt does not say what it knows of the cluster. */
  private async factsOf(cluster: Cluster, provider: string | undefined): Promise<ClusterFacts | undefined> {
    if (isExisting(cluster)) return clusterFacts(cluster, {});
    const { name, namespace } = cluster.metadata;
    const infrastructure = await this.ports.infrastructures.find(name, namespace).catch(() => undefined);
    return infrastructure && clusterFacts(cluster, { provider, infrastructure });
  }
}

function impactOf(
  { before, after }: ClusterChange,
  fields: readonly { readonly impact: Consequences['impact'] }[],
  preview: PlanPreview | undefined,
): Consequences['impact'] {
  if (!after) return 'replace';
  if (!before) return 'none';
  // What cannot be told counts as the worst.
  const terraform = preview ? [preview.impact?.impact ?? 'replace'] : [];
  return highestImpact([...fields.map(({ impact }) => impact), ...terraform]);
}

function terraformOf({ counts, impact, resources, omittedChanges }: PlanPreview): Consequences['terraform'] {
  return { counts, ...(impact ? { impact } : {}), resources: [...resources], omittedChanges };
}

function verdictOf({ allowed, violations }: PolicyReviewResponse): NonNullable<Consequences['policy']['plan']> {
  const shown = violations.map(({ policy, level, effect, field, message, remedy }) => ({
    policy,
    level,
    effect,
    field,
    message,
    remedy,
  }));
  return { allowed, violations: shown };
}
