import type { UpgradePlan, UpgradePlanStep, UpgradeProblem } from '@crate/api';
import { formatDuration } from '../objects/duration.js';
import { formatTable } from '../progress/table.js';

/** A problem, and the services that have it. */
interface SharedProblem extends UpgradeProblem {
  readonly components: readonly string[];
}

/** What an upgrade leads to, for people at a terminal. Pure. */
export function upgradePlanLines(plan: UpgradePlan): readonly string[] {
  const problems = sharedProblems(plan.steps);
  return [
    ...[headOf(plan), ...versionLines(plan), ''],
    ...formatTable(['', 'SERVICE', 'FROM', 'TO', 'DO', 'HOW'], plan.steps.map(rowOf)),
    ...legendOf(plan.steps),
    ...(problems.length === 0 ? [] : ['', 'In the way:', ...problems.flatMap(problemLines)]),
    ...['', conclusionOf(plan.steps, problems)],
  ];
}

/** Whether the platform would take the version. Pure. */
export function refusalOf({ steps }: UpgradePlan): SharedProblem | undefined {
  return sharedProblems(steps).find(({ effect }) => effect === 'Refused');
}

function headOf({ to, release }: UpgradePlan): string {
  if (!release) return `To ${to}`;
  const { channel, releasedAt, isSecurity, summary } = release;
  const what = `To ${to} (${channel}, of ${releasedAt.slice(0, 10)}${isSecurity ? ', security' : ''})`;
  return summary === undefined ? what : `${what}: ${summary}`;
}

/** Which versions have to understand each other, and where the way back ends. */
function versionLines({ release, oldest, steps }: UpgradePlan): readonly string[] {
  if (!release || steps.every(({ action }) => action === 'Stay')) return [];
  const { upgradeFrom = 'any version', downgradeTo, notes } = release;
  const back =
    downgradeTo === undefined
      ? 'none; restore the backup from before, so make one now (docs/backup.md)'
      : `by setting a version from ${downgradeTo} on`;
  return [
    `Skew: reached from ${upgradeFrom}, and the oldest service has ${oldest ?? 'no known version'}`,
    `Way back: ${back}`,
    ...(notes === undefined ? [] : [`Notes: ${notes}`]),
  ];
}

function rowOf({ component, from, to, action, moves, hasFailed }: UpgradePlanStep, index: number): readonly string[] {
  const how = moves.map(({ step, atLeastSeconds }) =>
    atLeastSeconds === 0 ? step : `${step} ${formatDuration(atLeastSeconds * 1_000)}`,
  );
  const again = hasFailed ? ' (again: it was taken back before)' : '';
  return [`${index + 1}.`, component, from ?? '?', to, `${action}${again}`, how.join(' > ') || '-'];
}

/** What the words mean, said once. */
function legendOf(steps: readonly UpgradePlanStep[]): readonly string[] {
  const longest = steps.reduce<UpgradePlanStep['moves']>(
    (best, { moves }) => (moves.length > best.length ? moves : best),
    [],
  );
  return longest.length === 0 ? [] : ['', ...longest.map(({ step, message }) => `${step}: ${message}`)];
}

function problemLines({ components, reason, effect, message, remedy }: SharedProblem): readonly string[] {
  const word = effect === 'Refused' ? 'REFUSED' : 'WAITS';
  return [`  ${word}  ${components.join(', ')}: ${reason}: ${message}`, `           → ${remedy}`];
}

function conclusionOf(steps: readonly UpgradePlanStep[], problems: readonly SharedProblem[]): string {
  if (steps.every(({ action }) => action === 'Stay')) return 'Nothing to do: all services have it';
  if (problems.some(({ effect }) => effect === 'Refused')) return 'It would be refused, and nothing would change';
  return problems.length > 0 ? 'It would be taken, and wait where it is said' : 'Nothing is in the way';
}

/** What several services have is said once. */
function sharedProblems(steps: readonly UpgradePlanStep[]): readonly SharedProblem[] {
  const found = new Map<string, SharedProblem>();
  for (const { component, problems } of steps) {
    for (const problem of problems) {
      const key = JSON.stringify(problem);
      const components = [...(found.get(key)?.components ?? []), component];
      found.set(key, { ...problem, components });
    }
  }
  return [...found.values()];
}
