import { attributeDifferences, type AttributeDifference } from './attribute-differences.js';
import { isSamePlace } from './attribute-path.js';
import { asList, asObject, type Json } from './json.js';

/** A resource that is not in the cloud as the state has it. */
export interface DriftedResource {
  readonly address: string;
  readonly type: string;
  /** The provider's id. */
  readonly id: string | undefined;
  readonly kind: 'changed' | 'missing';
  /** What differs; empty for what is missing. Sensitive values are masked. */
  readonly attributes: readonly AttributeDifference[];
}

export interface DriftDocuments {
  /** `terraform show -json` of a refresh-only plan. */
  readonly refresh: Json;
  /** The same of an ordinary plan, made right after it. */
  readonly plan: Json;
}

/**
 * What was changed in the cloud behind Terraform's back. Terraform itself says what of it matters: a difference that an ordinary plan
 * would leave alone (what the provider computes and the configuration does not state) is none. Pure.
 * Source: https://developer.hashicorp.com/terraform/internals/json-format#plan-representation
 */
export function foundDrift({ refresh, plan }: DriftDocuments): readonly DriftedResource[] {
  const planned = new Map(asList(plan['resource_changes']).map((resource) => [String(resource['address']), resource]));
  return asList(refresh['resource_drift'])
    .filter(({ mode }) => mode !== 'data')
    .flatMap((drifted) => drift(drifted, planned.get(String(drifted['address']))) ?? []);
}

function drift(drifted: Json, planned: Json | undefined): DriftedResource | undefined {
  const before = asObject(asObject(drifted['change'])['before']);
  const named = {
    address: String(drifted['address']),
    type: String(drifted['type']),
    id: typeof before['id'] === 'string' ? before['id'] : undefined,
  };
  if (actionsOf(drifted).includes('delete')) {
    // A resource that the configuration does not have any more may well be gone.
    return actionsOf(planned).includes('create') ? { ...named, kind: 'missing', attributes: [] } : undefined;
  }
  const putBack = attributeDifferences(asObject(planned?.['change'])).filter(({ isUnknown }) => !isUnknown);
  const attributes = attributeDifferences(asObject(drifted['change'])).filter(
    ({ path }, _, all) => putBack.some((other) => isSamePlace(path, other.path)) && !isRepeated(path, all),
  );
  return attributes.length === 0 ? undefined : { ...named, kind: 'changed', attributes };
}

/** The AWS provider shows tags twice: as they are stated, and with those of the provider. */
function isRepeated(path: string, all: readonly AttributeDifference[]): boolean {
  return path.startsWith('tags_all') && all.some((other) => other.path === path.replace('tags_all', 'tags'));
}

function actionsOf(resource: Json | undefined): readonly string[] {
  const actions = asObject(resource?.['change'])['actions'];
  return Array.isArray(actions) ? actions.map(String) : [];
}
