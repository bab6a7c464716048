import {
  RESOLVE_DRIFT_ANNOTATION,
  type AttributeDrift,
  type DriftDecision,
  type DriftReport,
  type DriftStatus,
} from './drift.js';
import { valueText } from './plan-text.js';

/** One line that names what differs, for a condition or an event. */
export function driftSummary({ resources, omitted }: DriftStatus): string {
  const count = resources.length + omitted;
  const named = resources.map(({ address, kind, attributes }) =>
    kind === 'missing' ? `${address} is missing` : `${address} (${attributes.map(({ path }) => path).join(', ')})`,
  );
  const all = [...named, ...(omitted > 0 ? [`${omitted} more`] : [])].join(', ');
  return `${count} resource${count === 1 ? ' differs' : 's differ'}: ${all}`;
}

/** How a person decides about what was found: in an annotation, unless a program has a command for it. */
type DecisionText = (action: DriftDecision['action'], digest: string) => string;

const BY_ANNOTATION: DecisionText = (action, digest) => `${RESOLVE_DRIFT_ANNOTATION}=${action}-${digest}`;

/** What comparisons with the cloud have found, as a person reads it at a terminal, and how to decide about it. */
export function driftText(report: DriftReport, decision = BY_ANNOTATION): string {
  const blocks = [head(report), found(report.drift), kept(report.drift), foot(report, decision)];
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => `${block.join('\n')}\n`)
    .join('\n');
}

function head({ metadata, policy, checkedAt, nextCheckAt, failure, failures, drift, held }: DriftReport): string[] {
  const isDrifted = drift !== undefined && drift.resources.length + drift.omitted > 0;
  const verdict = isDrifted ? `differs from what was applied since ${drift.since}` : 'is as it was applied';
  return [
    checkedAt === undefined
      ? `"${metadata.name}" was not compared with the cloud yet`
      : `"${metadata.name}" ${verdict}`,
    `Compared ${checkedAt ?? 'never'}, next about ${nextCheckAt}; policy: ${policy}`,
    ...(failure
      ? [`The last ${failures === 1 ? 'comparison' : `${failures} comparisons`} failed: ${failure.message}`]
      : []),
    ...(held ? [`Not put back by itself: ${held.message}`] : []),
  ];
}

function found(drift: DriftStatus | undefined): string[] {
  const lines = (drift?.resources ?? []).flatMap(({ address, id, kind, attributes, omittedAttributes = 0 }) => {
    const width = Math.max(0, ...attributes.map(({ path }) => path.length));
    const named = id === undefined ? address : `${address} (${id})`;
    const changes = attributes.map((change) => `      ${change.path.padEnd(width)}  ${changeText(change)}`);
    if (omittedAttributes > 0) changes.push(`      and ${omittedAttributes} more attributes`);
    return [kind === 'missing' ? `  - ${named} is missing` : `  ~ ${named}`, ...changes];
  });
  return drift && drift.omitted > 0 ? [...lines, `  and ${drift.omitted} more`] : lines;
}

function changeText({ wanted, found: is }: AttributeDrift): string {
  return `${valueText(wanted)} -> ${valueText(is)}`;
}

function kept(drift: DriftStatus | undefined): string[] {
  if (!drift?.kept?.length) return [];
  return ['Kept as found, and left alone:', ...drift.kept.map(({ address, path }) => `  ${address} ${path}`)];
}

function foot({ drift }: DriftReport, decision: DecisionText): string[] {
  // Being put back just now: there is nothing to decide.
  if (!drift || drift.resources.length + drift.omitted + (drift.kept?.length ?? 0) === 0) return [];
  return [
    `To put all of it back:    ${decision('correct', drift.digest)}`,
    ...(drift.resources.length > 0 ? [`To leave it as it is:     ${decision('keep', drift.digest)}`] : []),
  ];
}
