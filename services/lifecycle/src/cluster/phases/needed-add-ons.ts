import type { AddOn, AddOnInstallation } from '@crate/api';
import { chosenAddOns, refuseUnwanted } from '../../add-on/add-on.choice.js';
import { asAsked } from '../../add-on/add-on.needed.js';
import { installationOrder } from '../../add-on/add-on.order.js';
import { cloudOf, refuseUnsuited } from '../../add-on/add-on.providers.js';
import { refuseForgotten } from '../../add-on/add-on.values.js';
import { atVersion } from '../../add-on/add-on.versions.js';
import type { ClusterScope } from '../cluster.scope.js';

type Catalogue = ReadonlyMap<string, AddOn>;

/** What the cluster is to have, dependencies first. Throws InvalidSpec where that cannot be told, or may not be. Pure. */
export function wantedOrder(
  { cluster, provider }: ClusterScope,
  installations: readonly AddOnInstallation[],
  catalogue: Catalogue,
): readonly AddOn[] {
  const asked = cluster.spec.addOns;
  refuseForgotten(asked, catalogue);
  const present = new Set(installations.filter(({ spec }) => spec.unasked).map(({ spec }) => spec.addOn));
  const names = chosenAddOns(asked, catalogue, { provider, present }).map(({ name }) => name);
  const order = installationOrder(names, asAsked(asked, catalogue));
  refuseUnwanted(asked, order);
  const cloud = cloudOf(cluster, provider);
  const installed = new Set(installations.map(({ spec }) => spec.addOn));
  if (cloud !== undefined) refuseUnsuited(order, cloud, installed);
  return order;
}

/** What is installed and neither wanted nor needed by what is wanted. Pure. */
export function surplusOf(
  wanted: readonly AddOn[],
  installations: readonly AddOnInstallation[],
  catalogue: Catalogue,
): readonly AddOnInstallation[] {
  const needed = withNeeds(new Set(wanted.map(({ metadata }) => metadata.name)), installations, catalogue);
  return installations.filter(({ spec }) => !needed.has(spec.addOn));
}

/** Those that nothing else of them needs. Pure. */
export function nextToGo(surplus: readonly AddOnInstallation[], catalogue: Catalogue): readonly AddOnInstallation[] {
  const neededByOthers = new Set(surplus.flatMap((installation) => dependenciesOf(installation, catalogue)));
  const free = surplus.filter((installation) => !neededByOthers.has(installation.spec.addOn));
  // A circle in an edited catalogue must not block a deletion for ever.
  return free.length > 0 ? free : surplus;
}

/** Names of what the cluster needs to take its own volumes away, and of what that depends on. Pure. */
export function stayingWithCluster(
  installations: readonly AddOnInstallation[],
  catalogue: Catalogue,
): ReadonlySet<string> {
  const staying = installations.filter(({ spec }) => spec.removal === 'WithCluster');
  return withNeeds(new Set(staying.map(({ spec }) => spec.addOn)), installations, catalogue);
}

/** The names, and those of what is installed of them depends on: until an upgrade is done, that is what the version before needs. */
function withNeeds(
  names: ReadonlySet<string>,
  installations: readonly AddOnInstallation[],
  catalogue: Catalogue,
): ReadonlySet<string> {
  const byName = new Map(installations.map((installation) => [installation.spec.addOn, installation]));
  const needed = new Set(names);
  // A set hands out what is added while it is walked through.
  for (const name of needed) {
    const installation = byName.get(name);
    for (const each of installation ? dependenciesOf(installation, catalogue) : []) needed.add(each);
  }
  return needed;
}

/** Of the version that is in the cluster and of that which is to be, as far as they are kept: in an upgrade there may be parts of both. */
function dependenciesOf({ spec, status }: AddOnInstallation, catalogue: Catalogue): readonly string[] {
  const addOn = catalogue.get(spec.addOn);
  const versions = [spec.version, status?.version ?? spec.version];
  return versions.flatMap((version) => (addOn && (atVersion(addOn, version) ?? addOn))?.spec.dependsOn ?? []);
}
