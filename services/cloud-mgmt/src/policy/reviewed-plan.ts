type Json = Readonly<Record<string, unknown>>;

/** The sections of `terraform show -json` that rules look at; the others repeat them, several times as large. */
const SECTIONS = ['format_version', 'terraform_version', 'resource_changes', 'output_changes'];

/**
 * The plan as it is sent for review: every change with what it leads to, and for what goes away with what was there.
 * A plan of a thousand machines must fit into one message.
 */
export function reviewedPlan(plan: Json): Json {
  const kept = Object.entries(plan).filter(([section]) => SECTIONS.includes(section));
  const changes = plan['resource_changes'];
  const resources = Array.isArray(changes) ? (changes as Json[]).map(withoutPast) : [];
  const configuration = statedConfiguration(plan['configuration']);
  return { ...Object.fromEntries(kept), resource_changes: resources, ...configuration };
}

function withoutPast(resource: Json): Json {
  const { before, before_sensitive: _before, after_sensitive: _after, ...change } = resource['change'] as Json;
  const isRemoved = change['after'] === null || change['after'] === undefined;
  return { ...resource, change: isRemoved ? { ...change, before } : change };
}

interface Module {
  readonly resources?: readonly { readonly address?: string; readonly expressions?: Json }[];
  readonly module_calls?: Readonly<Record<string, { readonly module?: Module }>>;
}

/** Of the configuration only which arguments are stated: what with is in the changes already, and may be secret here. */
function statedConfiguration(configuration: unknown): Json {
  const { root_module: root } = (configuration ?? {}) as { readonly root_module?: Module };
  return root ? { configuration: { root_module: statedModule(root) } } : {};
}

function statedModule({ resources = [], module_calls: calls }: Module): Module {
  const stated = resources.map(({ address = '', expressions = {} }) => ({
    address,
    expressions: Object.fromEntries(Object.keys(expressions).map((name) => [name, {}])),
  }));
  if (!calls) return { resources: stated };
  const called = Object.entries(calls).map(
    ([name, { module = {} }]) => [name, { module: statedModule(module) }] as const,
  );
  return { resources: stated, module_calls: Object.fromEntries(called) };
}
