import type { AddOn } from '@crate/api';
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
