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
  return { ...Object.fromEntries(kept), resource_changes: resources };
}

function withoutPast(resource: Json): Json {
  const { before, before_sensitive: _before, after_sensitive: _after, ...change } = resource['change'] as Json;
  const isRemoved = change['after'] === null || change['after'] === undefined;
  return { ...resource, change: isRemoved ? { ...change, before } : change };
}
