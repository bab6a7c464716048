import type { Consequences } from './plan.js';

const MOST_NAMED = 10;

const ACTIONS = ['replace', 'destroy', 'update', 'create', 'import', 'forget'] as const;

/** The consequences a line each, with what Terraform would do to which resource and what policies say of it, for warnings. Pure. */
export function consequenceWarnings(consequences: Consequences): readonly string[] {
  const { terraform, policy } = consequences;
  const lines = ACTIONS.flatMap((action) => {
    const addresses = (terraform?.resources ?? [])
      .filter((each) => each.action === action)
      .map(({ address }) => address);
    return addresses.length === 0 ? [] : [`Terraform: ${action} ${someOf(addresses)}`];
  });
  return [...consequenceLines(consequences), ...lines, ...policyLines(policy.plan)];
}

/** The consequences in sum, a line each. Pure. */
export function consequenceLines(consequences: Consequences): readonly string[] {
  const { fields, nodes, addOns, quota, cost } = consequences;
  const changed = quota.filter(({ before, after }) => before !== after);
  return [
    ...fields.slice(0, MOST_NAMED).map(({ field, impact }) => `${field}: impact ${impact}`),
    ...(fields.length > MOST_NAMED ? [`and ${fields.length - MOST_NAMED} more fields`] : []),
    ...nodeLines(nodes),
    ...(addOns.length > 0 ? [`add-ons: ${addOns.map(addOnText).join(', ')}`] : []),
    ...(changed.length > 0 ? [`quota: ${changed.map(quotaText).join(', ')}`] : []),
    costText(cost),
    ...(consequences.terraform ? [`Terraform: ${countsText(consequences.terraform.counts)}`] : []),
  ];
}

/** The consequences in one line. Pure. */
export function consequenceSummary(consequences: Consequences): string {
  const { impact, terraform, nodes, addOns, cost } = consequences;
  const parts = [
    `impact ${impact}`,
    ...(terraform ? [countsText(terraform.counts)] : []),
    ...(nodes.length > 0 ? [`${nodes.length} node${nodes.length === 1 ? '' : 's'}`] : []),
    ...(addOns.length > 0 ? [`${addOns.length} add-on${addOns.length === 1 ? '' : 's'}`] : []),
    cost.text,
  ];
  return parts.join(', ');
}

function countsText(counts: NonNullable<Consequences['terraform']>['counts']): string {
  const named = Object.entries(counts).filter(
    ([name, count]) => count > 0 || ['create', 'update', 'destroy'].includes(name),
  );
  return named.map(([name, count]) => `${count} to ${name}`).join(', ');
}

function nodeLines(nodes: Consequences['nodes']): readonly string[] {
  const kinds = [...new Set(nodes.map(({ change }) => change))];
  return kinds.map((kind) => {
    const names = nodes.filter(({ change }) => change === kind).map(({ name }) => name);
    return `nodes that ${kind}: ${someOf(names)}`;
  });
}

function policyLines(verdict: Consequences['policy']['plan']): readonly string[] {
  if (!verdict) return [];
  const lines = verdict.violations.map(({ level, policy, field, message }) => {
    const where = field === undefined ? '' : ` (${field})`;
    return `policies: ${level} ${policy}${where}: ${message}`;
  });
  return [`policies: ${verdict.allowed ? 'allow' : 'refuse'} what Terraform would do`, ...lines];
}

function someOf(names: readonly string[]): string {
  const rest = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return `${names.slice(0, MOST_NAMED).join(', ')}${rest}`;
}

function addOnText({ name, change, from, to }: Consequences['addOns'][number]): string {
  if (change === 'upgrade') return `upgrade ${name} from ${from ?? '?'} to ${to ?? '?'}`;
  return `${change} ${name}`;
}

function quotaText({ name, before, after, limit }: Consequences['quota'][number]): string {
  return `${name} ${before} -> ${after}${limit === undefined ? '' : ` of ${limit}`}`;
}

function costText({ text, before, after, difference, currency, unknown, pricesOf }: Consequences['cost']): string {
  const missing = unknown.length > 0 ? `; not known: ${unknown.join(', ')}` : '';
  if (difference === 0 && missing === '')
    return `cost: as before (${after.toFixed(2)} ${currency}/month, list prices of ${pricesOf})`;
  return `cost: ${text} (${before.toFixed(2)} -> ${after.toFixed(2)} ${currency}, list prices of ${pricesOf}${missing})`;
}
