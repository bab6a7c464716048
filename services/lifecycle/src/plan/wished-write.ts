import { CLUSTER, type Cluster, type KubeObjectInput, type ManagedFieldsEntry, type Plan } from '@crate/api';
import { PlatformError } from '@crate/errors';
import type { CallContext, ResourceApi, ResourceRef, WriteOptions } from '@crate/resource-client';
import { APPROVED_PLAN_ANNOTATION } from './approved-plan.js';

/** Owns what plans have changed in clusters. */
const FIELD_MANAGER = 'crate-plan';

export interface WriteHow {
  readonly dryRun: boolean;
  /** Goes into the mark of the cluster. */
  readonly mark?: string;
}

/** What a cluster had before a plan. */
export interface Former {
  readonly spec: unknown;
  /** As in `metadata.managedFields`; undefined where nobody noted them, as a former release: who owns a field then keeps it. */
  readonly owners: ManagedFieldsEntry[] | undefined;
}

/** The write that a plan stands for, on behalf of whoever is in the context. */
export class WishedWrite {
  constructor(
    private readonly api: ResourceApi,
    private readonly context: CallContext,
  ) {}

  /**
   * The cluster as it is then; undefined when it is deleted. `cluster` is as it was looked at: throws Conflict when it is another by
   * now, and what admission throws.
   */
  async run(plan: Plan, cluster: Cluster | undefined, how: WriteHow): Promise<Cluster | undefined> {
    const { changes, wanted, destroy } = plan.spec;
    if (destroy) return this.remove(plan, cluster, how);
    if (changes) return this.merge(plan, cluster, changes, how);
    return cluster ? this.replace(cluster, wanted, how) : this.create(plan, wanted, how);
  }

  /** Gives the cluster the spec it had and the owners of it, and takes the mark away; admission knows that nothing is carried out. */
  async takeBack(cluster: Cluster, { spec, owners }: Former): Promise<void> {
    const { [APPROVED_PLAN_ANNOTATION]: _mark, ...annotations } = cluster.metadata.annotations ?? {};
    const metadata = { ...cluster.metadata, annotations, ...(owners ? { managedFields: owners } : {}) };
    const object = { ...cluster, metadata, spec };
    await this.api.update(refOf(cluster.metadata), object, optionsOf({ dryRun: false }), this.context);
  }

  private async remove(plan: Plan, cluster: Cluster | undefined, { dryRun }: WriteHow): Promise<undefined> {
    if (!cluster) throw missing(plan);
    const { uid, resourceVersion } = cluster.metadata;
    await this.api.remove(refOf(cluster.metadata), { dryRun, preconditions: { uid, resourceVersion } }, this.context);
    return undefined;
  }

  private async merge(plan: Plan, cluster: Cluster | undefined, spec: unknown, how: WriteHow): Promise<Cluster> {
    if (!cluster) throw missing(plan);
    const { uid, resourceVersion } = cluster.metadata;
    const patch = { metadata: { uid, resourceVersion, ...annotated(how) }, spec };
    const options = { ...optionsOf(how), type: 'merge' as const };
    return (await this.api.patch(refOf(cluster.metadata), patch, options, this.context)).object as Cluster;
  }

  private async replace(cluster: Cluster, spec: unknown, how: WriteHow): Promise<Cluster> {
    const { annotations } = cluster.metadata;
    const metadata = { ...cluster.metadata, annotations: { ...annotations, ...annotated(how).annotations } };
    const object = { ...cluster, metadata, spec } as KubeObjectInput;
    return (await this.api.update(refOf(cluster.metadata), object, optionsOf(how), this.context)).object as Cluster;
  }

  private async create(plan: Plan, spec: unknown, how: WriteHow): Promise<Cluster> {
    const { group, version, plural, kind } = CLUSTER;
    const name = plan.spec.clusterRef.name;
    const { namespace = '' } = plan.metadata;
    const metadata = { name, namespace, ...annotated(how) };
    const object = { apiVersion: `${group}/${version}`, kind, metadata, spec } as KubeObjectInput;
    return (await this.api.create({ group, version, plural }, object, optionsOf(how), this.context)).object as Cluster;
  }
}

function annotated({ mark }: WriteHow): { readonly annotations?: Readonly<Record<string, string>> } {
  return mark === undefined ? {} : { annotations: { [APPROVED_PLAN_ANNOTATION]: mark } };
}

function optionsOf({ dryRun }: WriteHow): WriteOptions {
  return { dryRun, fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' };
}

function refOf({ name, namespace }: Pick<Cluster['metadata'], 'name' | 'namespace'>): ResourceRef {
  const { group, version, plural } = CLUSTER;
  return { group, version, plural, name, ...(namespace === undefined ? {} : { namespace }) };
}

function missing({ spec }: Plan): PlatformError {
  const { name } = spec.clusterRef;
  return new PlatformError('NotFound', `Cluster "${name}" does not exist`, {
    details: {
      reason: 'ClusterNotFound',
      field: 'spec.clusterRef.name',
      remedy: 'Plan a cluster that exists, or state the whole spec of a new one in spec.wanted',
    },
  });
}
