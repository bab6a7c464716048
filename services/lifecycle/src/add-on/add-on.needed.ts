import type { AddOn } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';

/**
 * The add-ons of these names and everything they depend on, as far as the catalogue has them, or all of the catalogue
 * when it lacks one: then somebody is to be told what there is.
 */
export async function findNeededAddOns(
  names: readonly string[],
  catalogue: Pick<TypedClient<AddOn>, 'find' | 'list'>,
): Promise<ReadonlyMap<string, AddOn>> {
  const needed = new Map<string, AddOn>();
  for (let missing = new Set(names); missing.size > 0;) {
    const found = await Promise.all([...missing].map((name) => catalogue.find(name)));
    if (found.includes(undefined)) return byName(await catalogue.list());
    for (const [name, addOn] of byName(found.filter((addOn) => addOn !== undefined))) needed.set(name, addOn);
    const dependencies = found.flatMap((addOn) => addOn?.spec.dependsOn ?? []);
    missing = new Set(dependencies.filter((name) => !needed.has(name)));
  }
  return needed;
}

function byName(addOns: readonly AddOn[]): ReadonlyMap<string, AddOn> {
  return new Map(addOns.map((addOn) => [addOn.metadata.name, addOn]));
}
