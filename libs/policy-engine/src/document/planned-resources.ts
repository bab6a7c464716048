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
  /** Arguments that the configuration states; where the plan does not say, all that may be. */
  readonly stated: readonly string[];
}

/** The managed resources of a plan; those that go away are left out. */
export function plannedResources(plan: unknown): readonly PlannedResource[] {
  const { resource_changes: changes } = plan as { readonly resource_changes?: unknown };
  if (!Array.isArray(changes)) return [];
  const stated = statedArguments(plan);
  return (changes as ResourceChange[]).flatMap(({ address, mode, type, name, change }) => {
    if (mode === 'data' || !change?.after) return [];
    const { actions = [], after, after_unknown: unknown = {} } = change;
    return [
      {
        ...{ address: address ?? '', type: type ?? '', name: name ?? '', actions, values: after, unknown },
        stated: stated.get(instanceless(address ?? '')) ?? mayBeStated(after, unknown),
      },
    ];
  });
}

/** A part of the configuration; Terraform repeats it for every module that is called. */
interface Module {
  readonly resources?: readonly { readonly address?: string; readonly expressions?: Values }[];
  readonly module_calls?: Readonly<Record<string, { readonly module?: Module }>>;
}

/** By address without instances: they share what they are configured by. */
function statedArguments(plan: unknown): ReadonlyMap<string, readonly string[]> {
  const { configuration } = plan as { readonly configuration?: { readonly root_module?: Module } };
  return new Map(configuration?.root_module ? ofModule(configuration.root_module, '') : []);
}

function ofModule({ resources = [], module_calls: calls = {} }: Module, prefix: string): [string, readonly string[]][] {
  const own = resources.map(({ address = '', expressions = {} }): [string, readonly string[]] => [
    `${prefix}${address}`,
    Object.keys(expressions),
  ]);
  const called = Object.entries(calls).flatMap(([name, { module = {} }]) =>
    ofModule(module, `${prefix}module.${name}.`),
  );
  return [...own, ...called];
}

function instanceless(address: string): string {
  return address.replaceAll(/\[(?:\d+|"(?:[^"\\]|\\.)*")\]/g, '');
}

/** A plan made of a state has no configuration: nothing may pass for not stated that is. */
function mayBeStated(values: Values, unknown: Values): readonly string[] {
  const known = Object.keys(values).filter((name) => values[name] !== null);
  return [
    ...new Set([...known, ...Object.keys(unknown).filter((name) => JSON.stringify(unknown[name]).includes('true'))]),
  ];
}
