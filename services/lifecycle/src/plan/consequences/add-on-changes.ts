import type { AddOn, AddOnInstallation, Consequences } from '@crate/api';
import { jsonEqual } from '@crate/resource-server';
import type { ClusterFacts } from '../../add-on/add-on.facts.js';
import { renderedManifests } from '../../add-on/add-on.values.js';
import type { AddOnRequest } from '../../add-on/add-on.versions.js';

type AddOnChange = Consequences['addOns'][number];

/** What the cluster states, and what is known of it; without facts nobody can tell what is configured otherwise. */
interface Asked {
  readonly asked: readonly AddOnRequest[];
  readonly facts: ClusterFacts | undefined;
}

/**
 * What comes, goes, gets another version or is configured otherwise, in the order in which that is done. Pure. Throws InvalidSpec for values
 * that do not fit.
 */
export function addOnChanges(
  installed: readonly AddOnInstallation[],
  wanted: readonly AddOn[],
  { asked, facts }: Asked,
): readonly AddOnChange[] {
  const present = new Map(installed.map(({ spec }) => [spec.addOn, spec]));
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  const going = installed.filter(({ spec }) => !names.has(spec.addOn));
  return [
    ...going.map(({ spec }): AddOnChange => ({ name: spec.addOn, change: 'remove', from: spec.version })),
    ...wanted.flatMap((addOn) => changeOf(addOn, present.get(addOn.metadata.name), { asked, facts })),
  ];
}

function changeOf(
  addOn: AddOn,
  present: AddOnInstallation['spec'] | undefined,
  { asked, facts }: Asked,
): readonly AddOnChange[] {
  const { name } = addOn.metadata;
  const to = addOn.spec.version;
  if (!present) return [{ name, change: 'install', to }];
  const from = present.version;
  if (from !== to) return [{ name, change: 'upgrade', from, to }];
  // What cannot be told is not claimed.
  if (!facts) return [];
  return jsonEqual(present.manifests, renderedManifests(addOn, asked, facts))
    ? []
    : [{ name, change: 'configure', from, to }];
}
