import { isWithin, type Impact } from '@crate/api';
import { nameSome } from '@crate/reconcile';
import { foundDrift, isSamePlace, plannedChanges, type DriftedResource, type ResourceChange } from '@crate/terraform';
import { impactOf, planImpact } from './plan-impact.js';

/** What differs in the cloud, as far as a plan has to be told apart from it. */
export type DriftedPlace = Pick<DriftedResource, 'address' | 'kind'> & {
  readonly attributes: readonly { readonly path: string }[];
};

export interface UnaskedStepsOptions {
  /** The most impact that nobody has to ask for. Default none. */
  readonly most?: Impact;
  /** Steps that nobody has to ask for, whatever their impact. */
  readonly isExpected?: (step: ResourceChange) => boolean;
}

/**
 * What of a masked plan has an impact and is there for another reason than to put back what differs, for people; undefined: nothing. Something made anew is not
 * taken for drift: what goes with it cannot be told from what does not. Pure.
 */
export function unaskedSteps(
  document: Readonly<Record<string, unknown>>,
  drifted: readonly DriftedPlace[],
  { most = 'none', isExpected = () => false }: UnaskedStepsOptions = {},
): string | undefined {
  const rest = stepsBesides(document, drifted).filter((step) => !isExpected(step));
  const highest = planImpact(document, rest);
  if (!highest) return 'steps whose impact cannot be told';
  if (isWithin(highest.impact, most)) return undefined;
  return nameSome(rest.filter((step) => !isWithin(impactOf(step), most)).map(stepText));
}

/** All that a masked plan does besides putting back what differs, for people; undefined: nothing. Pure. */
export function otherSteps(
  document: Readonly<Record<string, unknown>>,
  drifted: readonly DriftedPlace[],
): string | undefined {
  const missing = new Set(drifted.filter(({ kind }) => kind === 'missing').map(({ address }) => address));
  const isOther = ({ address, action, changes }: ResourceChange): boolean =>
    !missing.has(address) && (action !== 'update' || changes.length > 0);
  const others = stepsBesides(document, drifted).filter(isOther);
  return others.length === 0 ? undefined : nameSome(others.map(stepText));
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

function stepsBesides(
  document: Readonly<Record<string, unknown>>,
  drifted: readonly DriftedPlace[],
): readonly ResourceChange[] {
  const places = new Map(drifted.map((place) => [place.address, place]));
  const { resources } = plannedChanges(document, { maxCharacters: Infinity });
  return resources.map((resource) => besides(resource, places.get(resource.address)));
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
