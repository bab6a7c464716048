/** What a change leads to, by what it is about. */
export const TOPICS = ['cost', 'quota', 'nodes', 'addOns', 'policies', 'terraform', 'other'] as const;

export type Topic = (typeof TOPICS)[number];

const PREFIXES: readonly (readonly [Topic, RegExp])[] = [
  ['cost', /^cost: /],
  ['quota', /^quota: /],
  ['nodes', /^nodes that /],
  ['addOns', /^add-ons: /],
  ['policies', /^policies: /],
  // Of a rule that should hold, and need not: it begins with the field.
  ['policies', /\(policy \S+, level /],
  ['terraform', /^Terraform: /],
];

/** Sorts the server's warnings by topic, without the topic's own word. */
export function byTopic(warnings: readonly string[]): ReadonlyMap<Topic, readonly string[]> {
  const topics = new Map<Topic, string[]>();
  for (const warning of warnings) {
    const [topic, prefix] = PREFIXES.find(([, pattern]) => pattern.test(warning)) ?? (['other', undefined] as const);
    const text = prefix?.source.endsWith(': ') ? warning.replace(prefix, '') : warning;
    topics.set(topic, [...(topics.get(topic) ?? []), text]);
  }
  return topics;
}
