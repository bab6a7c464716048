import { isExisting, type AddOn, type Cluster } from '@crate/api';
import { invalidSpec } from '@crate/errors';

/** Stands for the cloud of a cluster that Crate did not make. */
const NO_CLOUD = 'none';

/** What add-ons are judged by: the cloud, or that there is none; undefined while nobody knows. */
export function cloudOf(cluster: Cluster, provider: string | undefined): string | undefined {
  return isExisting(cluster) ? NO_CLOUD : provider;
}

/** Whether clusters there may have it. Pure. */
export function isSuited({ spec }: AddOn, cloud: string): boolean {
  return spec.providers?.some((each) => each === cloud) ?? true;
}

/** Why they may not, in words. Pure. */
export function unsuitedText({ spec }: AddOn, cloud: string): string {
  const which = cloud === NO_CLOUD ? 'Crate did not make this one' : `this one is in ${cloud}`;
  return `is for clusters in ${spec.providers?.join(', ') ?? ''}; ${which}`;
}

/** Throws InvalidSpec where something would come that is for clusters of other clouds. What is there already stays: the catalogue may have moved on since. */
export function refuseUnsuited(order: readonly AddOn[], cloud: string, present: ReadonlySet<string>): void {
  const unsuited = order.find((addOn) => !present.has(addOn.metadata.name) && !isSuited(addOn, cloud));
  if (!unsuited) return;
  const { name } = unsuited.metadata;
  const user = order.find(({ spec }) => spec.dependsOn.includes(name))?.metadata.name;
  const needed = user === undefined ? '' : `, and add-on "${user}" needs it`;
  const message = `Add-on "${name}" ${unsuitedText(unsuited, cloud)}${needed}`;
  throw invalidSpec(message, [{ reason: 'FieldValueInvalid', field: 'spec.addOns', message }], {
    ...{ reason: 'AddOnUnsuited', field: 'spec.addOns' },
    remedy: `Leave out "${user ?? name}"`,
  });
}
