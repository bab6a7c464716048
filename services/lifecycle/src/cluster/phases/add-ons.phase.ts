import {
  CLUSTER_DELETION_ANNOTATION,
  isConditionTrue,
  isExisting,
  type AddOn,
  type AddOnInstallation,
  type Blocker,
  type Cluster,
} from '@crate/api';
import { hasCode } from '@crate/errors';
import { settled, waiting, type Outcome, type ReconcileContext } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import type { RecoveryHold } from '@crate/service-host';
import { CompiledAddOn } from '../../add-on/add-on.content.js';
import { clusterFacts } from '../../add-on/add-on.facts.js';
import { SharedCatalogue } from '../../add-on/add-on.shared.js';
import { leavingAddOns } from '../cluster.add-on-news.js';
import { listChildren } from '../cluster.children.js';
import { foreignFinalizers, passForceOn, takeOffForeignFinalizers } from '../cluster.deletion.js';
import { ensureChild, ensureKnownChild } from '../cluster.known-child.js';
import type { ClusterScope } from '../cluster.scope.js';
import { CHILD_POLL_MS, isReadyNow, WAITING_FOR_INFRASTRUCTURE } from './child.js';
import { installationSpec } from './installation-spec.js';
import { nextToGo, stayingWithCluster, surplusOf, wantedOrder } from './needed-add-ons.js';

/** What an add-on's objects have not gone in, they may not go in for long. */
const HELD_UP_MS = 5 * 60_000;

interface Removal {
  readonly outcome: Outcome;
  /** Nothing more can be done about it for now, or nothing has to be: other work goes on. */
  readonly isHeldUp: boolean;
}

/**
 * Installs add-ons in dependency order, one after the other is ready, and takes away what is asked for no longer, and needed by nothing
 * that is installed. What does not go for now, such as a driver whose volumes are in use, stops nothing that does not need it.
 */
export class AddOnsPhase {
  private readonly catalogue: SharedCatalogue;

  constructor(
    addOns: TypedClient<AddOn>,
    private readonly installations: TypedClient<AddOnInstallation>,
    private readonly recovery: Pick<RecoveryHold, 'check'>,
  ) {
    this.catalogue = new SharedCatalogue(addOns);
  }

  readonly run = async (scope: ClusterScope, { lost }: Pick<ReconcileContext, 'lost'>): Promise<Outcome> => {
    scope.installations = await this.list(scope.cluster);
    const catalogue = await this.catalogue.byName();
    scope.addOns = wantedOrder(scope, scope.installations, catalogue);
    const { outcome: removal, isHeldUp } = await this.removeSurplus(scope, scope.addOns, catalogue);
    if (!isHeldUp) return removal;
    const installing = await this.installNext(scope, scope.addOns, lost);
    return installing.kind === 'settled' ? removal : installing;
  };

  /**
   * Has those that are asked for no longer go before the rest of the pass, which may never come to add-ons: what keeps a node from being
   * drained, or ready, may be theirs. Waits for them where an upgrade is next, and nothing is in their way for long.
   */
  readonly leaveFirst = async (scope: ClusterScope): Promise<Outcome> => {
    const { cluster, kubernetes } = scope;
    if (!kubernetes || !isConditionTrue(kubernetes.status?.conditions, 'ControlPlaneReady')) return settled;
    const isUpgrade = kubernetes.spec.version !== cluster.spec.kubernetes.version;
    if (isReadyNow(kubernetes) && !isUpgrade) return settled;
    const installations = await this.list(cluster);
    const { outcome, isHeldUp } = await this.removeKnown({ ...scope, installations });
    if (!isUpgrade || isHeldUp) return settled;
    scope.installations = installations;
    return outcome;
  };

  /** As far as it can be told. What is in the way of that is told where add-ons are installed, and stops no other work. */
  private async removeKnown(scope: ClusterScope): Promise<Removal> {
    const { installations = [] } = scope;
    const nothing = { outcome: settled, isHeldUp: true };
    if (installations.length === 0) return nothing;
    try {
      const catalogue = await this.catalogue.byName();
      return await this.removeSurplus(scope, wantedOrder(scope, installations, catalogue), catalogue);
    } catch (error) {
      if (hasCode(error, 'InvalidSpec', 'Forbidden')) return nothing;
      throw error;
    }
  }

  /** Removes what is installed and neither wanted nor needed by what is wanted, dependents first. */
  private async removeSurplus(
    { cluster, installations = [] }: ClusterScope,
    wanted: readonly AddOn[],
    catalogue: ReadonlyMap<string, AddOn>,
  ): Promise<Removal> {
    const surplus = surplusOf(wanted, installations, catalogue);
    const leaving = surplus.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (leaving.length > 0) await this.recovery.check(`Add-ons would be removed: ${namesOf(leaving)}`);
    const outcome = await this.removeNext(cluster, surplus, catalogue);
    return { outcome, isHeldUp: nextToGo(surplus, catalogue).every(isHeldUp) };
  }

  /** The first half of the tear-down: removes what the cluster can do without while its volumes go, dependents first. */
  readonly tearDown = async (scope: ClusterScope): Promise<Outcome> => {
    const catalogue = await this.catalogue.byName();
    const all = await this.list(scope.cluster);
    const staying = isExisting(scope.cluster) ? new Set<string>() : stayingWithCluster(all, catalogue);
    const leaving = all.filter(({ spec }) => !staying.has(spec.addOn));
    return this.takeAway(scope, await this.tellOfDeletion(scope.cluster, leaving), catalogue);
  };

  /** The second half, once the cluster is gone: forgets what went down with it. */
  readonly tearDownRest = async (scope: ClusterScope): Promise<Outcome> => {
    scope.isKubernetesGone = true;
    return this.takeAway(scope, await this.list(scope.cluster), await this.catalogue.byName());
  };

  private async takeAway(
    scope: ClusterScope,
    leaving: readonly AddOnInstallation[],
    catalogue: ReadonlyMap<string, AddOn>,
  ): Promise<Outcome> {
    const left = await this.letGo(scope, leaving);
    scope.installations = left;
    scope.blockers = left.map((installation) => `AddOnInstallation "${installation.metadata.name}"`);
    return this.removeNext(scope.cluster, left, catalogue);
  }

  /** Says that the cluster goes: what is in one that does not answer is waited for without end otherwise. Writes only when that is news. */
  private async tellOfDeletion(
    { metadata: { deletionTimestamp } }: Cluster,
    installations: readonly AddOnInstallation[],
  ): Promise<readonly AddOnInstallation[]> {
    const told: AddOnInstallation[] = [];
    for (const installation of installations) {
      const { name, namespace, uid, annotations } = installation.metadata;
      const isTold = annotations?.[CLUSTER_DELETION_ANNOTATION] !== undefined;
      const news = { metadata: { uid, annotations: { [CLUSTER_DELETION_ANNOTATION]: deletionTimestamp } } };
      if (isTold) told.push(installation);
      else told.push(...(await ifThere(this.installations.merge(name, namespace, news))));
    }
    return told;
  }

  /** Passes on that the deletion was forced. */
  private async letGo(
    scope: ClusterScope,
    installations: readonly AddOnInstallation[],
  ): Promise<readonly AddOnInstallation[]> {
    const told: AddOnInstallation[] = [];
    for (const installation of installations) {
      const left = await passForceOn(this.installations, scope.cluster, installation);
      const foreign = await takeOffForeignFinalizers(this.installations, scope.cluster, left);
      scope.abandoned = [...(scope.abandoned ?? []), ...foreign];
      if (foreign.length === 0) told.push(left);
    }
    if (told.length === installations.length) return told;
    const meant = new Set(installations.map(({ metadata }) => metadata.name));
    return (await this.list(scope.cluster)).filter(({ metadata }) => meant.has(metadata.name));
  }

  private async installNext(scope: ClusterScope, addOns: readonly AddOn[], lost?: AbortSignal): Promise<Outcome> {
    const leaving = new Set(leavingAddOns(scope.installations ?? []).map(({ spec }) => spec.addOn));
    const awaited = new Set<string>();
    let stalled: Outcome | undefined;
    for (const addOn of addOns) {
      const { name } = addOn.metadata;
      // A deletion is for good: asked for again, it comes once it has gone, and what needs it after that.
      if (leaving.has(name) || addOn.spec.dependsOn.some((needed) => awaited.has(needed))) {
        awaited.add(name);
        continue;
      }
      // Each may be two calls: whoever has the key by now may have stated newer ones.
      lost?.throwIfAborted();
      const outcome = await this.install(scope, addOn);
      if (outcome.kind === 'settled') continue;
      if (areNodesReady(scope)) return outcome;
      // What it lacks may be on the node that is not ready, for days: only those that need it wait for that.
      awaited.add(name);
      stalled ??= outcome;
    }
    return stalled ?? (awaited.size === 0 ? settled : waiting('WaitingForAddOnRemoval', CHILD_POLL_MS));
  }

  private async install(scope: ClusterScope, addOn: AddOn): Promise<Outcome> {
    const { cluster } = scope;
    const facts = clusterFacts(cluster, scope);
    const { compiled } = CompiledAddOn.of(addOn.spec);
    // A cloud-mgmt of an earlier release has not said it yet.
    if (compiled.asksForCloudId && facts.cloudId === '' && !isExisting(cluster)) {
      return waiting(WAITING_FOR_INFRASTRUCTURE, CHILD_POLL_MS);
    }
    const name = installationName(cluster, addOn.metadata.name);
    const installation = await this.ensureInstalled(scope, name, installationSpec(cluster, addOn, facts));
    scope.installations = [
      ...(scope.installations ?? []).filter((other) => other.metadata.name !== name),
      installation,
    ];
    return isReadyNow(installation) ? settled : waiting('WaitingForAddOns', CHILD_POLL_MS);
  }

  private ensureInstalled(
    scope: ClusterScope,
    name: string,
    spec: AddOnInstallation['spec'],
  ): Promise<AddOnInstallation> {
    const known = scope.installations?.find(({ metadata }) => metadata.name === name);
    // One that is not listed may be somebody else's.
    return known
      ? ensureKnownChild(this.installations, scope, known, { name, spec })
      : ensureChild(this.installations, scope, { name, spec });
  }

  private async removeNext(
    cluster: Cluster,
    surplus: readonly AddOnInstallation[],
    catalogue: ReadonlyMap<string, AddOn>,
  ): Promise<Outcome> {
    if (surplus.length === 0) return settled;
    for (const { metadata } of nextToGo(surplus, catalogue)) {
      if (metadata.deletionTimestamp) continue;
      const { name, uid } = metadata;
      await this.installations.remove(name, cluster.metadata.namespace, { preconditions: { uid } });
    }
    return waiting('WaitingForAddOnRemoval', CHILD_POLL_MS);
  }

  private list(cluster: Cluster): Promise<readonly AddOnInstallation[]> {
    return listChildren(this.installations, cluster);
  }
}

function areNodesReady({ kubernetes }: ClusterScope): boolean {
  return isConditionTrue(kubernetes?.status?.conditions, 'NodesReady');
}

/** One that has gone since it was listed needs nothing any more. */
async function ifThere<T>(written: Promise<T>): Promise<readonly T[]> {
  try {
    return [await written];
  } catch (error) {
    if (hasCode(error, 'NotFound')) return [];
    throw error;
  }
}

/** Something is in the way of its removal, maybe for days: volumes in use, what has not gone for minutes, or a finalizer of somebody else. Most objects take some seconds. */
function isHeldUp(installation: AddOnInstallation): boolean {
  const isLasting = ({ reason, since }: Blocker): boolean =>
    reason === 'VolumesInUse' || Date.now() - Date.parse(since) >= HELD_UP_MS;
  const { blockers = [] } = installation.status?.deletion ?? {};
  return foreignFinalizers(installation).length > 0 || blockers.some(isLasting);
}

function namesOf(installations: readonly AddOnInstallation[]): string {
  return installations
    .map(({ spec }) => spec.addOn)
    .sort()
    .join(', ');
}

/** Name of the installation of one add-on in one cluster. */
export function installationName(cluster: Cluster, addOn: string): string {
  return `${cluster.metadata.name}-${addOn}`;
}
