import type { Component } from '@crate/api';

/** As the API names them, in the order in which they are upgraded; the constant of @crate/api would bring its schemas along. */
const ORDER = ['policy-mgmt', 'cloud-mgmt', 'cluster-mgmt', 'lifecycle'];

/** What a person reads of a component. */
export interface ComponentView {
  readonly name: string;
  /** Every version that runs: two while one takes the place of the other. */
  readonly runs: string;
  /** The one that runs when no upgrade is under way. */
  readonly installed: string;
  readonly wanted: string | undefined;
  readonly available: string | undefined;
  /** A step of its upgrade, why none begins, or `UpToDate`. */
  readonly phase: string;
  readonly why: string;
  readonly ready: string;
}

/** Components in the order in which they are upgraded. Pure. */
export function componentViews(components: readonly Component[]): readonly ComponentView[] {
  const placeOf = ({ metadata }: Component): number => ORDER.indexOf(metadata.name);
  return components.toSorted((left, right) => placeOf(left) - placeOf(right)).map(viewOf);
}

/** Components whose upgrade was taken back, and was not asked for again since. Pure. */
export function takenBack(components: readonly Component[]): readonly ComponentView[] {
  return componentViews(components).filter(({ phase }) => phase === 'RolledBack');
}

/** Versions that one component or another may be set to, the newest first. Pure. */
export function offeredVersions(components: readonly Component[]): readonly string[] {
  const lists = components.map(({ status }) => (status?.availableVersions ?? []).map(({ version }) => version));
  // Who is behind is offered the most.
  const sorted = lists.toSorted((left, right) => right.length - left.length);
  return [...new Set(sorted.flat())];
}

function viewOf(component: Component): ComponentView {
  const { metadata, spec, status } = component;
  const { replicas = [], availableVersions = [], installedVersion = '–', rollout } = status ?? {};
  const sum = (field: 'ready' | 'total'): number => replicas.reduce((total, each) => total + each[field], 0);
  return {
    name: metadata.name,
    runs: replicas.length === 0 ? installedVersion : replicas.map(({ version }) => version).join(', '),
    installed: installedVersion,
    wanted: spec.version,
    available: availableVersions[0]?.version,
    phase: rollout?.step ?? phaseOf(component),
    why: whyOf(component),
    ready: `${sum('ready')}/${sum('total')}`,
  };
}

/** Nobody asked for the newer version that there is: as wanted is not up to date. */
function phaseOf(component: Component): string {
  const { status } = component;
  const reason = conditionOf(component, 'UpToDate')?.reason ?? 'Unknown';
  return reason === 'UpToDate' && (status?.availableVersions ?? []).length > 0 ? 'Available' : reason;
}

function whyOf(component: Component): string {
  const { rollout, progress } = component.status ?? {};
  if (rollout && rollout.step !== 'RollingBack' && progress && progress.message !== rollout.step)
    return progress.message;
  const said = [conditionOf(component, 'UpToDate'), conditionOf(component, 'Ready')];
  return said.find((condition) => condition && condition.status !== 'True' && condition.message !== '')?.message ?? '';
}

type Conditions = NonNullable<NonNullable<Component['status']>['conditions']>;

function conditionOf({ status }: Component, type: string): Conditions[number] | undefined {
  return status?.conditions?.find((each) => each.type === type);
}
