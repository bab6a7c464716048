import { nameSome } from '@crate/reconcile';
import { foundDrift, isSamePlace, plannedChanges, type DriftedResource, type ResourceChange } from '@crate/terraform';
import { impactOf, planImpact } from './plan-impact.js';

/** What differs in the cloud, as far as a plan has to be told apart from it. */
export type DriftedPlace = Pick<DriftedResource, 'address' | 'kind'> & {
  readonly attributes: readonly { readonly path: string }[];
};

/**
 * What of a masked plan has an impact and is there for another reason than to put back what differs, for people; undefined: nothing. Something made anew is not
 * taken for drift: what goes with it cannot be told from what does not. Pure.
 */
export function unaskedSteps(
  document: Readonly<Record<string, unknown>>,
  drifted: readonly DriftedPlace[],
): string | undefined {
  const places = new Map(drifted.map((place) => [place.address, place]));
  const { resources } = plannedChanges(document, { maxCharacters: Infinity });
  const rest = resources.map((resource) => besides(resource, places.get(resource.address)));
  const highest = planImpact(document, rest);
  if (!highest) return 'steps whose impact cannot be told';
  if (highest.impact === 'none') return undefined;
  return nameSome(rest.filter((step) => impactOf(step) !== 'none').map(stepText));
}

/** Addresses of the steps of a masked plan that have no impact, and put nothing back that differs in the cloud. Pure. */
export function unnoticedSteps(
  document: Readonly<Record<string, unknown>>,
  resources: readonly ResourceChange[],
): ReadonlySet<string> {
  if (!planImpact(document, resources)) return new Set();
  const drifted = new Set(foundDrift({ refresh: document, plan: document }).map(({ address }) => address));
  const free = resources.filter((step) => impactOf(step) === 'none' && !drifted.has(step.address));
  return new Set(free.map(({ address }) => address));
}

/** Without what puts back what differs, and what follows from that. */
function besides(step: ResourceChange, drifted: DriftedPlace | undefined): ResourceChange {
  if (!drifted || step.action !== 'update') return step;
  const isPutBack = (path: string): boolean =>
    drifted.attributes.some((attribute) => isSamePlace(attribute.path, path));
  return { ...step, changes: step.changes.filter(({ path, isUnknown }) => !isUnknown && !isPutBack(path)) };
}

function stepText(step: ResourceChange): string {
  return `${step.action} ${step.address} (${impactOf(step)})`;
}
