import type { PolicyConsequence, PolicyImpact } from '@crate/api';
import { oneLine } from '../output/visible.js';

/** What a person reads of what a change of a rule would lead to. */
export function impactLines(name: string, impact: PolicyImpact): readonly string[] {
  const { newlyDenied, newlyWarned, noLonger, counts, summary } = impact;
  return [
    `${name}: ${summary}`,
    ...consequenceLines('Newly denied', newlyDenied, counts.newlyDenied),
    ...consequenceLines('Newly warned of', newlyWarned, counts.newlyWarned),
    ...consequenceLines('No longer objected to', noLonger, counts.noLonger),
  ];
}

function consequenceLines(title: string, told: readonly PolicyConsequence[], count: number): readonly string[] {
  if (count === 0) return [];
  const lines = told.map(({ project, cluster, stage, kind, name, field, message }) => {
    const document = name === cluster ? stage : `${stage} ${kind} ${name}`;
    return oneLine(`    ${project}/${cluster} (${document}) ${field}: ${message}`);
  });
  const rest = count - told.length;
  return [`  ${title}:`, ...lines, ...(rest > 0 ? [`    and ${rest} more`] : [])];
}
