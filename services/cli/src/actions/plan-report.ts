import { consequenceLines, findCondition, resourceText, type Plan } from '@crate/api';
import { oneLine, visible } from '../output/visible.js';

/** A plan as a person reads it at a terminal, with how to approve it; `apiFlags`: how a line to copy ends that asks the same API. */
export function planReport(plan: Plan, apiFlags: string): string {
  const { consequences, end, expiresAt, approval } = plan.status ?? {};
  const hint = consequences && !end && !approval ? [`${approveHint(plan, expiresAt)}${apiFlags}`] : [];
  return visible([head(plan).join('\n'), ...consequenceBlocks(plan), ...hint].map((block) => `${block}\n`).join('\n'));
}

/** What a plan leads to, for whoever is asked about it right now; nothing where that is not known. */
export function consequencesReport(plan: Plan): string {
  return visible(
    consequenceBlocks(plan)
      .map((block) => `${block}\n\n`)
      .join(''),
  );
}

function consequenceBlocks(plan: Plan): string[] {
  const { consequences } = plan.status ?? {};
  if (!consequences) return [];
  const resources = (consequences.terraform?.resources ?? []).map((resource) => resourceText(resource).join('\n'));
  const impact = [`Impact: ${consequences.impact}`, ...consequenceLines(consequences)].join('\n');
  return [...resources, impact, ...policyBlocks(plan)];
}

function head({ metadata, spec, status }: Plan): string[] {
  const ready = findCondition(status?.conditions, 'Ready');
  const { approval, end, failure } = status ?? {};
  const why = end?.message ?? failure?.message;
  return [
    `Plan "${metadata.name}" for cluster "${spec.clusterRef.name}": ${ready?.reason ?? 'Pending'}`,
    ...(approval ? [`Approved by ${approval.by} at ${approval.at}`] : []),
    ...(why === undefined ? [] : [why]),
    ...(failure?.remedy === undefined ? [] : [failure.remedy]),
  ];
}

function policyBlocks({ status }: Plan): string[] {
  const { admission, plan } = status?.consequences?.policy ?? {};
  const broken = [...(admission?.violations ?? []), ...(plan?.violations ?? [])];
  if (broken.length === 0) return [];
  const lines = broken.map(
    ({ level, policy, field, message }) =>
      `  ${level} ${policy}${field === undefined ? '' : ` (${field})`}: ${oneLine(message)}`,
  );
  return [['Policies:', ...lines].join('\n')];
}

function approveHint({ metadata: { name, namespace = '' } }: Plan, expiresAt: string | undefined): string {
  const until = expiresAt === undefined ? '' : ` (until ${expiresAt})`;
  return `Have it carried out${until}: crate plan approve ${name} -n ${namespace}`;
}
