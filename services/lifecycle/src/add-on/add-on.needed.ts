import type { AddOn } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import { atVersion, type AddOnRequest } from './add-on.versions.js';

/**
 * The add-ons asked for and everything they depend on, as far as the catalogue has them, or all of the catalogue when it lacks one:
 * then somebody is to be told what there is. They are as they are in the catalogue: `asAsked` chooses versions.
 */
export async function findNeededAddOns(
  asked: readonly AddOnRequest[],
  catalogue: Pick<TypedClient<AddOn>, 'find' | 'list'>,
): Promise<ReadonlyMap<string, AddOn>> {
  const needed = new Map<string, AddOn>();
  for (let missing = new Set(asked.map(({ name }) => name)); missing.size > 0;) {
    const found = await Promise.all([...missing].map((name) => catalogue.find(name)));
    if (found.includes(undefined)) return byName(await catalogue.list());
    const known = byName(found.filter((addOn) => addOn !== undefined));
    for (const [name, addOn] of known) needed.set(name, addOn);
    const names = [...asAsked(asked, known).values()].flatMap(({ spec }) => spec.dependsOn);
    missing = new Set(names.filter((name) => !needed.has(name)));
  }
  return needed;
}

/** The same add-ons, each in the version that is asked for, as far as it is kept. Pure. */
export function asAsked(
  asked: readonly AddOnRequest[],
  catalogue: ReadonlyMap<string, AddOn>,
): ReadonlyMap<string, AddOn> {
  const versions = new Map(asked.map(({ name, version }) => [name, version]));
  return new Map([...catalogue].map(([name, addOn]) => [name, atVersion(addOn, versions.get(name)) ?? addOn]));
}

/** Add-ons by their names. Pure. */
export function byName(addOns: readonly AddOn[]): ReadonlyMap<string, AddOn> {
  return new Map(addOns.map((addOn) => [addOn.metadata.name, addOn]));
}
