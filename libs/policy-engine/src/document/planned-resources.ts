/** Source: https://developer.hashicorp.com/terraform/internals/json-format#resource-change-representation */
interface ResourceChange {
  readonly address?: string;
  readonly mode?: string;
  readonly type?: string;
  readonly name?: string;
  readonly change?: {
    readonly actions?: readonly string[];
    readonly after?: Values | null;
    readonly after_unknown?: Values;
  };
}

type Values = Readonly<Record<string, unknown>>;

/** A managed resource as it will be once the plan is applied. */
export interface PlannedResource {
  readonly address: string;
  readonly type: string;
  readonly name: string;
  readonly actions: readonly string[];
  /** What is known only after apply is missing here, and true in `unknown`. */
  readonly values: Values;
  readonly unknown: Values;
}

/** The managed resources of a plan; those that go away are left out. */
export function plannedResources(plan: unknown): readonly PlannedResource[] {
  const { resource_changes: changes } = plan as { readonly resource_changes?: unknown };
  if (!Array.isArray(changes)) return [];
  return (changes as ResourceChange[]).flatMap(({ address, mode, type, name, change }) => {
    if (mode === 'data' || !change?.after) return [];
    const { actions = [], after, after_unknown: unknown = {} } = change;
    return [{ address: address ?? '', type: type ?? '', name: name ?? '', actions, values: after, unknown }];
  });
}
