import { isSecretKey, Redactor } from '@crate/telemetry';
import { maskPlanDocument } from './plan-document.js';
import { plannedChanges, type AttributeChange } from './planned-changes.js';
import { readStateObjects, type StateObject } from './state-objects.js';

/** What became of a resource between two states. */
export interface StateResourceDifference {
  readonly address: string;
  readonly type: string;
  readonly name: string;
  readonly action: 'added' | 'removed' | 'changed';
  /** Values that are, or may be, secret are masked. */
  readonly changes: readonly AttributeChange[];
}

export interface StateDifference {
  readonly resources: readonly StateResourceDifference[];
  /** Resources whose attributes are left out, because there are too many. */
  readonly omittedChanges: number;
}

const ACTIONS = { create: 'added', destroy: 'removed', update: 'changed' } as const;
/** Attributes that hold whole programs or documents, into which people write secrets; no schema tells. */
const MAY_HOLD_SECRETS =
  /(^|_)(user_data|userdata|private|password|passwd|secret|token|credential|kubeconfig|connection_string)/i;

/** What is in one state and not, or otherwise, in another, both as Terraform writes them. Masked as `objectDifference` says. */
export function stateDifference(from: Uint8Array, to: Uint8Array): StateDifference {
  return objectDifference(readStateObjects(from), readStateObjects(to));
}

/**
 * What is among some objects and not, or otherwise, among others; by address. Masked is what they call sensitive, as the provider's
 * schema and the configuration do, what the names of attributes make likely, and what has the shape of a key or a token.
 */
export function objectDifference(
  before: ReadonlyMap<string, StateObject>,
  after: ReadonlyMap<string, StateObject>,
): StateDifference {
  const addresses = [...new Set([...before.keys(), ...after.keys()])].sort();
  const changes = addresses.flatMap((address) => changeOf(before.get(address), after.get(address)) ?? []);
  const shapes = new Redactor();
  const { resources, omittedChanges } = plannedChanges(maskPlanDocument({ resource_changes: changes }), {
    redact: (text) => shapes.redactText(text),
  });
  return {
    resources: resources.map(({ action, ...resource }) => ({
      ...resource,
      action: ACTIONS[action as keyof typeof ACTIONS],
    })),
    omittedChanges,
  };
}

/** As a plan has it; undefined where nothing is otherwise. */
function changeOf(
  before: StateObject | undefined,
  after: StateObject | undefined,
): Record<string, unknown> | undefined {
  // Equal ones are left out first: masked they could not be told from others.
  const names = differing(before?.attributes, after?.attributes);
  if (before && after && names.length === 0) return undefined;
  const { address, type, name } = (after ?? before) as StateObject;
  const change = {
    actions: [actionOf(before, after)],
    ...sideOf('before', before, names),
    ...sideOf('after', after, names),
  };
  return { address, mode: 'managed', type, name, change };
}

function actionOf(before: StateObject | undefined, after: StateObject | undefined): 'create' | 'update' | 'delete' {
  if (!before) return 'create';
  return after ? 'update' : 'delete';
}

function sideOf(
  side: 'before' | 'after',
  object: StateObject | undefined,
  names: readonly string[],
): Record<string, unknown> {
  if (!object) return {};
  return { [side]: only(object.attributes, names), [`${side}_sensitive`]: marksOf(object, names) };
}

type Attributes = Readonly<Record<string, unknown>>;

function differing(before: Attributes = {}, after: Attributes = {}): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

function only(attributes: Attributes, names: readonly string[]): Attributes {
  return Object.fromEntries(names.flatMap((name) => (name in attributes ? [[name, attributes[name]]] : [])));
}

function marksOf({ attributes, sensitive }: StateObject, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.map((name) => [
      name,
      // Where a part is sensitive the whole is: paths of marks and values need not agree.
      sensitive.has(name) || isSuspect(name) || marks(attributes[name]),
    ]),
  );
}

/** In the shape of the value, with `true` for what a name makes likely to be secret. */
function marks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(marks);
  if (typeof value !== 'object' || value === null) return false;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, isSuspect(key) || marks(item)]));
}

function isSuspect(name: string): boolean {
  return isSecretKey(name) || MAY_HOLD_SECRETS.test(name);
}
