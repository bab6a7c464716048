import type { AddOn, AddOnInstallation, Cluster } from '@crate/api';
import { settled, waiting, type Outcome } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import type { RecoveryHold } from '@crate/service-host';
import { asAsked } from '../../add-on/add-on.needed.js';
import { installationOrder } from '../../add-on/add-on.order.js';
import { refuseForgotten, renderedManifests } from '../../add-on/add-on.values.js';
import { atVersion } from '../../add-on/add-on.versions.js';
import { childSelector, ensureChild } from '../cluster.children.js';
import { passForceOn, takeOffForeignFinalizers } from '../cluster.deletion.js';
import type { ClusterScope } from '../cluster.scope.js';
import { CHILD_POLL_MS, isReadyNow } from './child.js';

/** Installs add-ons in dependency order, one after the other is ready, and takes away what is no longer asked for. */
export class AddOnsPhase {
  constructor(
    private readonly catalogue: TypedClient<AddOn>,
    private readonly installations: TypedClient<AddOnInstallation>,
    private readonly recovery: Pick<RecoveryHold, 'check'>,
  ) {}

  readonly run = async (scope: ClusterScope): Promise<Outcome> => {
    const { cluster } = scope;
    scope.installations = await this.list(cluster);
    const catalogue = new Map((await this.catalogue.list()).map((addOn) => [addOn.metadata.name, addOn]));
    const asked = cluster.spec.addOns;
    refuseForgotten(asked, catalogue);
    const names = asked.map(({ name }) => name);
    scope.addOns = installationOrder(names, asAsked(asked, catalogue));

    const wanted = new Set(scope.addOns.map((addOn) => addOn.metadata.name));
    const surplus = scope.installations.filter((installation) => !wanted.has(installation.spec.addOn));
    const leaving = surplus.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (leaving.length > 0) await this.recovery.check(`Add-ons would be removed: ${namesOf(leaving)}`);
    const removal = await this.removeNext(cluster, surplus, catalogue);
    return removal.kind === 'settled' ? this.installNext(scope, scope.addOns) : removal;
  };

  /** The tear-down half: removes every installation, dependents first. */
  readonly tearDown = async (scope: ClusterScope): Promise<Outcome> => {
    scope.installations = await this.letGo(scope, await this.list(scope.cluster));
    scope.blockers = scope.installations.map((installation) => `AddOnInstallation "${installation.metadata.name}"`);
    const catalogue = new Map((await this.catalogue.list()).map((addOn) => [addOn.metadata.name, addOn]));
    return this.removeNext(scope.cluster, scope.installations, catalogue);
  };

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
    return told.length === installations.length ? told : this.list(scope.cluster);
  }

  private async installNext(scope: ClusterScope, addOns: readonly AddOn[]): Promise<Outcome> {
    const { cluster } = scope;
    for (const addOn of addOns) {
      const name = installationName(cluster, addOn.metadata.name);
      const installation = await ensureChild(this.installations, scope, name, {
        clusterRef: { name: cluster.metadata.name },
        addOn: addOn.metadata.name,
        version: addOn.spec.version,
        manifests: [...renderedManifests(addOn, cluster.spec.addOns)],
      });
      scope.installations = [
        ...(scope.installations ?? []).filter((other) => other.metadata.name !== name),
        installation,
      ];
      if (!isReadyNow(installation)) return waiting('WaitingForAddOns', CHILD_POLL_MS);
    }
    return settled;
  }

  private async removeNext(
    cluster: Cluster,
    surplus: readonly AddOnInstallation[],
    catalogue: ReadonlyMap<string, AddOn>,
  ): Promise<Outcome> {
    if (surplus.length === 0) return settled;
    const neededByOthers = new Set(surplus.flatMap((installation) => dependenciesOf(installation, catalogue)));
    const free = surplus.filter((installation) => !neededByOthers.has(installation.spec.addOn));
    // A circle in an edited catalogue must not block a deletion for ever.
    for (const installation of free.length > 0 ? free : surplus) {
      if (installation.metadata.deletionTimestamp) continue;
      await this.installations.remove(installation.metadata.name, cluster.metadata.namespace);
    }
    return waiting('WaitingForAddOnRemoval', CHILD_POLL_MS);
  }

  private list(cluster: Cluster): Promise<readonly AddOnInstallation[]> {
    const namespace = cluster.metadata.namespace as string;
    return this.installations.list({ namespace, labelSelector: childSelector(cluster) });
  }
}

/** Of the version that is installed, as far as it is kept. */
function dependenciesOf({ spec }: AddOnInstallation, catalogue: ReadonlyMap<string, AddOn>): readonly string[] {
  const addOn = catalogue.get(spec.addOn);
  return (addOn && (atVersion(addOn, spec.version) ?? addOn))?.spec.dependsOn ?? [];
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
