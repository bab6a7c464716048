import type { AddOn } from '@crate/api';
import { invalidSpec } from '@crate/errors';
import type { AddOnRequest } from './add-on.versions.js';

/** What decides which add-ons a cluster has besides its own wishes. */
export interface ChoiceContext {
  /** Cloud that it is in; undefined: it is in none, or nobody knows. */
  readonly provider: string | undefined;
  /** Names of add-ons that it has by default now: they stay while nobody knows in which cloud it is. */
  readonly present?: ReadonlySet<string>;
}

/**
 * What a cluster gets: what goes with clusters of its cloud, and what it asks for, but for what it says it does not want. First what comes by
 * default: the rest may need it. Pure.
 */
export function chosenAddOns(
  asked: readonly AddOnRequest[],
  catalogue: ReadonlyMap<string, AddOn>,
  { provider, present = new Set() }: ChoiceContext,
): readonly AddOnRequest[] {
  const stated = new Set(asked.map(({ name }) => name));
  const isDefault = ({ metadata, spec }: AddOn): boolean =>
    spec.defaultFor?.some((each) => each === provider) === true ||
    (provider === undefined && present.has(metadata.name));
  const unasked = [...catalogue.values()].filter((addOn) => isDefault(addOn) && !stated.has(addOn.metadata.name));
  const names = unasked.map(({ metadata }) => metadata.name).sort();
  return [...names.map((name) => ({ name })), ...wanted(asked)];
}

/** Without what a cluster says it does not want. Pure. */
export function wanted(asked: readonly AddOnRequest[]): readonly AddOnRequest[] {
  return asked.filter(({ enabled }) => enabled !== false);
}

/** An add-on that a cluster says it does not want, and one that needs it. */
export interface UnwantedNeed {
  /** Of the request, among all. */
  readonly index: number;
  readonly name: string;
  readonly user: string;
}

/** What of an order a cluster says it does not want, each with the first that needs it. Pure. */
export function unwantedNeeds(asked: readonly AddOnRequest[], order: readonly AddOn[]): readonly UnwantedNeed[] {
  return asked.flatMap(({ name, enabled }, index) => {
    const [user] = enabled === false ? order.filter(({ spec }) => spec.dependsOn.includes(name)) : [];
    return user ? [{ index, name, user: user.metadata.name }] : [];
  });
}

/** Throws InvalidSpec where something that a cluster does not want would come along with what it does. */
export function refuseUnwanted(asked: readonly AddOnRequest[], order: readonly AddOn[]): void {
  const [need] = unwantedNeeds(asked, order);
  if (!need) return;
  const { index, name, user } = need;
  const field = `spec.addOns[${index}].enabled`;
  const message = `Add-on "${name}" is not wanted, and add-on "${user}" needs it`;
  throw invalidSpec(message, [{ reason: 'FieldValueInvalid', field, message }], {
    ...{ reason: 'AddOnNeeded', field },
    remedy: `Leave out "${user}" as well, or let the cluster have "${name}"`,
  });
}
