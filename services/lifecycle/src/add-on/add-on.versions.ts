import { EARLIER_VERSIONS_KEPT, type AddOn, type AddOnContent, type Cluster } from '@crate/api';

/** What a cluster asks for of one add-on. */
export type AddOnRequest = Cluster['spec']['addOns'][number];

/** Versions that clusters may stay on, the newest first. */
export function versionsOf({ spec }: AddOn): readonly string[] {
  return [spec.version, ...(spec.earlier ?? []).map(({ version }) => version)];
}

/** The add-on as it is in a version, or in its newest; undefined when that version is not kept. Pure. */
export function atVersion(addOn: AddOn, version: string | undefined): AddOn | undefined {
  const { displayName, description, earlier: _earlier, ...newest } = addOn.spec;
  if (version === undefined || version === newest.version) return addOn;
  const content = addOn.spec.earlier?.find((each) => each.version === version);
  return content && { ...addOn, spec: { displayName, description, ...content } };
}

/**
 * The earlier versions of an add-on that takes the place of what it was before, the newest first: as many as are kept, and those in use. Pure.
 */
export function earlierAfter(
  now: AddOn['spec'],
  before: AddOn['spec'],
  inUse: ReadonlySet<string>,
): readonly AddOnContent[] {
  const versions = [contentOf(before), ...(before.earlier ?? []), ...(now.earlier ?? [])];
  const known = new Set([now.version]);
  const kept = versions.filter(({ version }) => !known.has(version) && known.add(version));
  return kept.filter(({ version }, index) => index < EARLIER_VERSIONS_KEPT || inUse.has(version));
}

/** The part of an add-on that is another one in each version. */
export function contentOf(content: AddOnContent): AddOnContent {
  const { version, dependsOn, valuesSchema, manifests, providers, defaultFor, removal } = content;
  return {
    ...{ version, dependsOn, manifests },
    ...(valuesSchema === undefined ? {} : { valuesSchema }),
    ...(providers === undefined ? {} : { providers }),
    ...(defaultFor === undefined ? {} : { defaultFor }),
    ...(removal === undefined ? {} : { removal }),
  };
}
