import { consequenceLines, findCondition, resourceText, type Plan } from '@crate/api';

/** A plan as a person reads it at a terminal; with how to approve it, unless they are asked right now. */
export function planReport(plan: Plan, { withHint = true }: { readonly withHint?: boolean } = {}): string {
  const { consequences, end, expiresAt, approval } = plan.status ?? {};
  const resources = (consequences?.terraform?.resources ?? []).map((resource) => resourceText(resource).join('\n'));
  const blocks = [
    head(plan).join('\n'),
    ...resources,
    ...(consequences ? [[`Impact: ${consequences.impact}`, ...consequenceLines(consequences)].join('\n')] : []),
    ...policyBlocks(plan),
    ...(withHint && consequences && !end && !approval ? [approveHint(plan, expiresAt)] : []),
  ];
  return blocks.map((block) => `${block}\n`).join('\n');
}

function head({ metadata, spec, status }: Plan): string[] {
  const ready = findCondition(status?.conditions, 'Ready');
  const { approval, end, failure } = status ?? {};
  return [
    `Plan "${metadata.name}" for cluster "${spec.clusterRef.name}": ${ready?.reason ?? 'Pending'}`,
    ...(approval ? [`Approved by ${approval.by} at ${approval.at}`] : []),
    ...(end ? [end.message] : []),
    ...(failure?.remedy === undefined ? [] : [failure.remedy]),
  ];
}

function policyBlocks({ status }: Plan): string[] {
  const { admission, plan } = status?.consequences?.policy ?? {};
  const broken = [...(admission?.violations ?? []), ...(plan?.violations ?? [])];
  if (broken.length === 0) return [];
  const lines = broken.map(
    ({ level, policy, field, message }) =>
      `  ${level} ${policy}${field === undefined ? '' : ` (${field})`}: ${message}`,
  );
  return [['Policies:', ...lines].join('\n')];
}

function approveHint({ metadata: { name, namespace = '' } }: Plan, expiresAt: string | undefined): string {
  const until = expiresAt === undefined ? '' : ` (until ${expiresAt})`;
  return `Have it carried out${until}: crate plan approve ${name} -n ${namespace}`;
}
