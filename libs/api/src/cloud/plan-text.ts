import type { PlannedResource, RunPlan } from './plan.js';

const SIGNS: Readonly<Record<PlannedResource['action'], string>> = {
  create: '+',
  update: '~',
  replace: '-/+',
  destroy: '-',
  import: '<=',
  forget: '.',
};

const OUTCOMES: Readonly<Record<RunPlan['outcome'], string>> = {
  InProgress: 'in progress',
  NoChanges: 'no changes: everything is as asked for',
  Applied: 'applied',
  Refused: 'refused by policy, nothing was changed',
  Failed: 'failed, part of it may have been done',
  Interrupted: 'interrupted, the next run goes on',
};

const LONGEST_VALUE = 200;

/** A plan as a person reads it at a terminal. */
export function planText(plan: RunPlan): string {
  const blocks = [head(plan), ...plan.resources.map(resourceText), foot(plan)];
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => `${block.join('\n')}\n`)
    .join('\n');
}

function head({ of, generation, isCurrent, run, outcome, review }: RunPlan): string[] {
  const { kind = '', name = '' } = of;
  const age = isCurrent ? '' : ' (a later spec was asked for since)';
  return [
    `${kind} "${name}", generation ${generation ?? 'unknown'}${age}`,
    `${run.purpose === 'apply' ? 'Apply' : 'Destroy'}, begun ${run.startedAt}${run.endedAt ? `, ended ${run.endedAt}` : ''}: ${OUTCOMES[outcome]}`,
    ...(review ? policyText(review) : []),
  ];
}

function policyText({ allowed, violations }: NonNullable<RunPlan['review']>): string[] {
  const verdict = `Policies ${allowed ? 'allow' : 'refuse'} it${violations.length > 0 ? ':' : ''}`;
  const broken = violations.map(({ level, policy, field, message, remedy }) => {
    const where = field === undefined ? '' : ` (${field})`;
    return `  ${level} ${policy}${where}: ${message}${remedy === undefined ? '' : `. ${remedy}`}`;
  });
  return [verdict, ...broken];
}

/** A resource, what is done to it, and what of it changes; a line each. */
export function resourceText({ address, action, changes }: PlannedResource): string[] {
  // Of what goes away all that counts is which one it is.
  const telling = isGoing(action) ? changes.filter(({ path }) => path === 'id') : changes;
  const width = Math.max(0, ...telling.map(({ path }) => path.length));
  const lines = telling.map((change) => `      ${change.path.padEnd(width)}  ${changeText(change, action)}`);
  return [`${SIGNS[action].padStart(3)} ${address} (${action})`, ...lines];
}

function isGoing(action: PlannedResource['action']): boolean {
  return action === 'destroy' || action === 'forget';
}

function changeText(change: PlannedResource['changes'][number], action: PlannedResource['action']): string {
  const after = change.isUnknown ? '(known after apply)' : valueText(change.after);
  const forces = change.forcesReplacement ? '  # forces replacement' : '';
  if (action === 'create' || action === 'import') return `${after}${forces}`;
  if (isGoing(action)) return valueText(change.before);
  return `${valueText(change.before)} -> ${after}${forces}`;
}

/** A value on one line, cut where it is long. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return '(none)';
  if (value === '(sensitive value)') return value;
  const text = JSON.stringify(value);
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE - 1)}…`;
}

function foot({ counts, outcome, omittedChanges }: RunPlan): string[] {
  if (outcome === 'NoChanges') return [];
  const named = Object.entries(counts).filter(
    ([name, count]) => count > 0 || ['create', 'update', 'destroy'].includes(name),
  );
  const total = `Plan: ${named.map(([name, count]) => `${count} to ${name}`).join(', ')}`;
  if (omittedChanges === 0) return [total];
  return [total, `The plan is too large: attributes of ${omittedChanges} resources are left out`];
}
