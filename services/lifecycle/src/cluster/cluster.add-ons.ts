import { isExisting, type AddOn, type Cluster } from '@crate/api';
import { hasCode, isPlatformError, type ErrorCause } from '@crate/errors';
import { toCause } from '@crate/resource-server';
import { chosenAddOns, unwantedNeeds, type UnwantedNeed } from '../add-on/add-on.choice.js';
import { asAsked, byName, findNeededAddOns } from '../add-on/add-on.needed.js';
import { installationOrder } from '../add-on/add-on.order.js';
import { cloudOf, isSuited, unsuitedText } from '../add-on/add-on.providers.js';
import { requestErrors } from '../add-on/add-on.values.js';
import type { AddOnRequest } from '../add-on/add-on.versions.js';
import { cause } from './cluster.cause.js';
import type { References } from './cluster.references.js';

/** What is looked at to judge the add-ons of a cluster. */
export interface AddOnPorts {
  readonly catalogue: References<AddOn>;
  readonly provider: () => Promise<string | undefined>;
}

/** What is wrong with the add-ons that a cluster asks for; what was asked for before is judged where it is new only. */
export async function addOnCauses(
  cluster: Cluster,
  old: Cluster | undefined,
  { catalogue, provider }: AddOnPorts,
): Promise<ErrorCause[]> {
  const asked = cluster.spec.addOns;
  const before = old?.spec.addOns ?? [];
  const known = await findNeededAddOns(asked, catalogue);
  const isOld = (name: string): boolean => before.some((request) => request.name === name);
  const unknown = asked.flatMap(({ name }, index) =>
    known.has(name) || isOld(name)
      ? []
      : [
          cause(
            `spec.addOns[${index}].name`,
            name,
            `must be in the catalogue: ${[...known.keys()].sort().join(', ') || 'none'}`,
          ),
        ],
  );
  const causes = [
    ...unknown,
    ...requestErrors(asked, before, known).map(toCause),
    ...(await unsuitedCauses(cluster, before, { known, provider })),
  ];
  if (causes.length > 0) return causes;
  try {
    return neededCauses(asked, before, await ordersOf(asked, before, { catalogue, known, provider }));
  } catch (error) {
    if (isPlatformError(error) && hasCode(error, 'InvalidSpec')) return [...(error.details.causes ?? [])];
    throw error;
  }
}

/**
 * What the cluster gets, and what of that is new. What comes by default counts where something is turned off: it may need that. Such an
 * add-on that cannot be installed is for whoever keeps the catalogue to mend: only what is asked for is refused.
 */
async function ordersOf(
  asked: readonly AddOnRequest[],
  before: readonly AddOnRequest[],
  { catalogue, known, provider }: AddOnPorts & { readonly known: ReadonlyMap<string, AddOn> },
): Promise<Orders> {
  const isJudged = asked.some(({ enabled }) => enabled === false);
  const offered = isJudged ? byName(await catalogue.list()) : known;
  const cloud = { provider: isJudged ? await provider() : undefined };
  const versions = asAsked(asked, offered);
  const isAsked = (name: string): boolean => asked.some((request) => request.name === name);
  // What it asked for before and is gone from the catalogue says nothing about the rest.
  const chosen = chosenAddOns(asked, offered, cloud).filter(
    ({ name }) => offered.has(name) && (isAsked(name) || hasAllItNeeds(name, versions)),
  );
  const orderOf = (requests: readonly AddOnRequest[]): readonly AddOn[] =>
    installationOrder(
      requests.map(({ name }) => name),
      versions,
    );
  return { all: orderOf(chosen), added: orderOf(addedTo(chosenAddOns(before, offered, cloud), chosen)) };
}

/** False where the catalogue lacks something that the add-on depends on, or its dependencies make a circle. */
function hasAllItNeeds(name: string, catalogue: ReadonlyMap<string, AddOn>): boolean {
  try {
    return installationOrder([name], catalogue).length > 0;
  } catch (error) {
    if (isPlatformError(error) && hasCode(error, 'InvalidSpec')) return false;
    throw error;
  }
}

interface Orders {
  readonly all: readonly AddOn[];
  readonly added: readonly AddOn[];
}

/**
 * What is for clusters of other clouds, or brings something along that is. Asked for already, it is not judged again: the catalogue may have
 * moved on since.
 */
async function unsuitedCauses(
  cluster: Cluster,
  before: readonly AddOnRequest[],
  {
    known,
    provider,
  }: { readonly known: ReadonlyMap<string, AddOn>; readonly provider: () => Promise<string | undefined> },
): Promise<ErrorCause[]> {
  const { addOns } = cluster.spec;
  const versions = asAsked(addOns, known);
  const isNew = ({ name, enabled }: AddOnRequest): boolean =>
    enabled !== false && !before.some((old) => old.name === name && old.enabled !== false);
  const limited = addOns.map((request) =>
    isNew(request) ? withAllItNeeds(request.name, versions).filter(({ spec }) => spec.providers) : [],
  );
  if (limited.flat().length === 0) return [];
  const cloud = cloudOf(cluster, isExisting(cluster) ? undefined : await provider());
  if (cloud === undefined) return [];
  return addOns.flatMap(({ name }, index) => {
    const unsuited = limited[index]?.find((addOn) => !isSuited(addOn, cloud));
    if (!unsuited) return [];
    const via = unsuited.metadata.name === name ? '' : `needs "${unsuited.metadata.name}", which `;
    return [cause(`spec.addOns[${index}].name`, name, `${via}${unsuitedText(unsuited, cloud)}`)];
  });
}

/** What it depends on and then itself; itself alone where that cannot be said. */
function withAllItNeeds(name: string, catalogue: ReadonlyMap<string, AddOn>): readonly AddOn[] {
  if (hasAllItNeeds(name, catalogue)) return installationOrder([name], catalogue);
  return [...catalogue.values()].filter(({ metadata }) => metadata.name === name);
}

/** What was not asked for before, or not in this version. */
function addedTo(before: readonly AddOnRequest[], asked: readonly AddOnRequest[]): readonly AddOnRequest[] {
  const isOld = ({ name, version }: AddOnRequest): boolean =>
    before.some((old) => old.name === name && old.version === version);
  return asked.filter((request) => !isOld(request));
}

/** What a cluster does not want and something else needs; where it did not want it before, only what is added counts. */
function neededCauses(
  asked: readonly AddOnRequest[],
  before: readonly AddOnRequest[],
  { all, added }: Orders,
): ErrorCause[] {
  const wasUnwanted = ({ name }: UnwantedNeed): boolean =>
    before.some((old) => old.name === name && old.enabled === false);
  const needs = [
    ...unwantedNeeds(asked, all).filter((need) => !wasUnwanted(need)),
    ...unwantedNeeds(asked, added).filter(wasUnwanted),
  ];
  return needs.map(({ index, user }) => {
    const text = `add-on "${user}" needs it: leave that out as well`;
    return cause(`spec.addOns[${index}].enabled`, false, text);
  });
}
