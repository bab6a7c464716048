import { isExisting, type AddOn, type Cluster } from '@crate/api';
import { hasCode, isPlatformError, type ErrorCause } from '@crate/errors';
import { toCause } from '@crate/resource-server';
import { wanted } from '../add-on/add-on.choice.js';
import { asAsked, findNeededAddOns } from '../add-on/add-on.needed.js';
import { installationOrder } from '../add-on/add-on.order.js';
import { requestErrors } from '../add-on/add-on.values.js';
import { cause } from './cluster.cause.js';
import type { References } from './cluster.references.js';

/** Stands for the cloud of a cluster that Crate did not make. */
const NO_CLOUD = 'none';

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
    // What it asked for before and is gone from the catalogue says nothing about the rest.
    const names = wanted(asked).flatMap(({ name }) => (known.has(name) ? [name] : []));
    return neededCauses(asked, installationOrder(names, asAsked(asked, known)));
  } catch (error) {
    if (isPlatformError(error) && hasCode(error, 'InvalidSpec')) return [...(error.details.causes ?? [])];
    throw error;
  }
}

/** What is for clusters of other clouds. Asked for already, it is not judged again: the catalogue may have moved on since. */
async function unsuitedCauses(
  cluster: Cluster,
  before: Cluster['spec']['addOns'],
  {
    known,
    provider,
  }: { readonly known: ReadonlyMap<string, AddOn>; readonly provider: () => Promise<string | undefined> },
): Promise<ErrorCause[]> {
  const { addOns } = cluster.spec;
  const isLimited = ({ name, enabled }: (typeof addOns)[number]): boolean =>
    enabled !== false &&
    known.get(name)?.spec.providers !== undefined &&
    !before.some((old) => old.name === name && old.enabled !== false);
  if (!addOns.some(isLimited)) return [];
  const own = isExisting(cluster) ? NO_CLOUD : await provider();
  if (own === undefined) return [];
  return addOns.flatMap((request, index) => {
    const providers = known.get(request.name)?.spec.providers ?? [];
    if (!isLimited(request) || providers.some((each) => each === own)) return [];
    const which = own === NO_CLOUD ? 'Crate did not make this one' : `this one is in ${own}`;
    return [cause(`spec.addOns[${index}].name`, request.name, `is for clusters in ${providers.join(', ')}; ${which}`)];
  });
}

/** What a cluster does not want and gets all the same, because something else needs it. */
function neededCauses(asked: Cluster['spec']['addOns'], order: readonly AddOn[]): ErrorCause[] {
  return asked.flatMap(({ name, enabled }, index) => {
    const [user] = enabled === false ? order.filter(({ spec }) => spec.dependsOn.includes(name)) : [];
    const text = `add-on "${user?.metadata.name}" needs it: leave that out as well`;
    return user ? [cause(`spec.addOns[${index}].enabled`, enabled, text)] : [];
  });
}
