import type { ChangeSummary } from './terraform-event.js';

const MASK = '(sensitive value)';

interface Change {
  readonly before?: unknown;
  readonly after?: unknown;
  readonly before_sensitive?: unknown;
  readonly after_sensitive?: unknown;
}

/** A plan ready to be applied. */
export interface TerraformPlan {
  /** False when applying it would do nothing. */
  readonly hasChanges: boolean;
  /** The cloud is not as the state has it. Applying takes that into the state, also when there is nothing else to do. */
  readonly isStateStale: boolean;
  readonly summary: ChangeSummary;
}

/**
 * Masks what the provider or the configuration calls sensitive in `terraform show -json` of a plan, and drops the sections that
 * repeat such values unmarked (variables, prior state). What is left may be shown and sent.
 * Source: https://developer.hashicorp.com/terraform/internals/json-format
 */
export function maskPlanDocument(document: Record<string, unknown>): Record<string, unknown> {
  const { variables: _variables, prior_state: _priorState, planned_values: planned, ...rest } = document;
  return {
    ...rest,
    ...(planned === undefined ? {} : { planned_values: maskValues(planned) }),
    resource_changes: list(document['resource_changes']).map(maskResourceChange),
    // What was changed outside of Terraform has values as well.
    ...(document['resource_drift'] === undefined
      ? {}
      : { resource_drift: list(document['resource_drift']).map(maskResourceChange) }),
    output_changes: Object.fromEntries(
      Object.entries((document['output_changes'] ?? {}) as Record<string, Change>).map(([name, change]) => [
        name,
        maskChange(change),
      ]),
    ),
  };
}

function maskResourceChange(change: Record<string, unknown>): Record<string, unknown> {
  return { ...change, change: maskChange(change['change'] as Change) };
}

function maskChange(change: Change): Change {
  return {
    ...change,
    before: maskMarked(change.before, change.before_sensitive),
    after: maskMarked(change.after, change.after_sensitive),
  };
}

/** Walks modules; a resource has its `values` and, beside them, `sensitive_values`; an output has `value` and `sensitive`. */
function maskValues(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(maskValues);
  if (typeof node !== 'object' || node === null) return node;
  const entries = node as Record<string, unknown>;
  if ('sensitive_values' in entries)
    return { ...entries, values: maskMarked(entries['values'], entries['sensitive_values']) };
  if (entries['sensitive'] === true) return { ...entries, value: MASK };
  return Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, maskValues(value)]));
}

/** `marks` has the shape of `value`, with `true` where a value is sensitive. */
function maskMarked(value: unknown, marks: unknown): unknown {
  if (marks === true) return MASK;
  if (typeof value !== 'object' || value === null || typeof marks !== 'object' || marks === null) return value;
  if (Array.isArray(value)) return value.map((entry, index) => maskMarked(entry, (marks as unknown[])[index]));
  const marked = marks as Record<string, unknown>;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, maskMarked(entry, marked[key])]));
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : [];
}
