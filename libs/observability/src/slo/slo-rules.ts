import type { Objective } from './objectives.js';

/** A rule as Prometheus reads it. */
export type Rule = RecordingRule | AlertRule;

export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface RuleGroup {
  readonly name: string;
  readonly interval?: string;
  readonly rules: readonly Rule[];
}

export interface RuleFile {
  readonly groups: readonly RuleGroup[];
}

const MINUTES = ['5m', '30m', '1h', '2h'] as const;
const DAYS = ['6h', '1d', '3d', '30d'] as const;

/** Fewer events than this in a day are no sample. */
const FEWEST_EVENTS = 5;

/** What is spent of the budget, over long windows for certainty and short ones so that an alert ends when its cause does. */
interface Burn {
  readonly severity: 'critical' | 'warning';
  /** How many times faster than the budget lasts for; with two windows. */
  readonly speeds: readonly (readonly [speed: number, long: string, short: string])[];
  readonly meaning: string;
}

/** Speeds and windows of the SRE workbook, for a budget of 30 days. Source: https://sre.google/workbook/alerting-on-slos */
const BURNS: readonly Burn[] = [
  {
    severity: 'critical',
    speeds: [
      [14.4, '1h', '5m'],
      [6, '6h', '30m'],
    ],
    meaning: 'at this speed the budget of a month is spent within days',
  },
  {
    severity: 'warning',
    speeds: [
      [3, '1d', '2h'],
      [1, '3d', '6h'],
    ],
    meaning: 'at this speed the budget of a month is spent before the month is over',
  },
];

/** Where days are the shortest that says something, there is no reason to wake anybody. */
const SPARSE_BURNS: readonly Burn[] = [
  {
    severity: 'warning',
    speeds: [
      [3, '1d', '6h'],
      [1, '3d', '1d'],
    ],
    meaning: 'at this speed the budget of a month is spent before the month is over',
  },
];

/** Recording rules: how much of each objective was missed, by window. */
export function recordingRules(objectives: readonly Objective[]): RuleFile {
  const counts = objectives.flatMap((objective) => [
    countOf('crate:slo_events:increase5m', objective, objective.events),
    countOf('crate:slo_errors:increase5m', objective, objective.errors),
  ]);
  return {
    groups: [
      { name: 'crate-slo-objectives', interval: '1m', rules: objectives.map(target) },
      {
        name: 'crate-slo-minutes',
        interval: '30s',
        rules: MINUTES.flatMap((window) => objectives.map(ratioOver(window))),
      },
      // Days are sums of these: all samples of a month would be more than one query may read. Each covers the time since the last.
      {
        name: 'crate-slo-days',
        interval: '5m',
        rules: [...counts, ...DAYS.map(ratioOfDays), EVENTS_OF_DAY, BUDGET_LEFT],
      },
    ],
  };
}

/** Alerts on budgets that are spent too fast. */
export function budgetAlerts(objectives: readonly Objective[]): RuleFile {
  return { groups: [{ name: 'crate-slo-alerts', rules: objectives.flatMap(alertsOf) }] };
}

function target({ name: slo, target: share }: Objective): RecordingRule {
  return { record: 'crate:slo_objective:ratio', expr: `vector(${share})`, labels: { slo } };
}

function ratioOver(window: string): (objective: Objective) => RecordingRule {
  return (objective) => ({
    record: `crate:slo_errors:ratio_rate${window}`,
    expr: `(${over(objective.errors, window)}) / ((${over(objective.events, window)}) > 0)`,
    labels: { slo: objective.name },
  });
}

function countOf(record: string, { name: slo }: Objective, expression: string): RecordingRule {
  return { record, expr: over(expression, '5m'), labels: { slo } };
}

function ratioOfDays(window: string): RecordingRule {
  const sum = (what: string): string => `sum_over_time(crate:slo_${what}:increase5m[${window}])`;
  return { record: `crate:slo_errors:ratio_rate${window}`, expr: `${sum('errors')} / (${sum('events')} > 0)` };
}

/** 1 with nothing spent, 0 when the objective is just missed, below 0 when it is. */
const BUDGET_LEFT: RecordingRule = {
  record: 'crate:slo_error_budget_remaining:ratio',
  expr: '1 - crate:slo_errors:ratio_rate30d / on(slo) group_left() (1 - crate:slo_objective:ratio)',
};

const EVENTS_OF_DAY: RecordingRule = {
  record: 'crate:slo_events:increase1d',
  expr: 'sum_over_time(crate:slo_events:increase5m[1d])',
};

function alertsOf(objective: Objective): readonly AlertRule[] {
  const { name, alert, promise, harm, isSparse } = objective;
  return (isSparse ? SPARSE_BURNS : BURNS).map(({ severity, speeds, meaning }) => ({
    alert,
    expr: burning(objective, speeds),
    for: severity === 'critical' ? '2m' : '15m',
    labels: { severity, slo: name },
    annotations: {
      summary: `${harm}: the error budget is being spent too fast`,
      description: `${promise}. Over the last hours {{ $value | humanizePercentage }} missed that; ${meaning}. Find out what is slow or failing by the dashboard named in the runbook, and stop changes until it is known.`,
      runbook_url: `docs/runbooks/${alert}.md`,
    },
  }));
}

function burning(objective: Objective, speeds: Burn['speeds']): string {
  const { name, target: share, isSparse } = objective;
  const budget = 1 - share;
  const ratio = (window: string): string => `crate:slo_errors:ratio_rate${window}{slo="${name}"}`;
  const limit = (speed: number): string => String(Number((speed * budget).toPrecision(6)));
  const isFast = speeds.map(
    ([speed, long, short]) =>
      `(${ratio(long)} > ${limit(speed)} and ${ratio(short)} > ${limit(speed)}${enough(objective, long)})`,
  );
  const either = isFast.join(' or ');
  if (!isSparse) return either;
  return `(${either}) and on(namespace, slo) crate:slo_events:increase1d{slo="${name}"} >= ${FEWEST_EVENTS}`;
}

/** The condition that there were as many errors as the objective asks for; hours are read as they are, so that no alert is late by it. */
function enough({ name, errors, fewestErrors }: Objective, window: string): string {
  if (fewestErrors === undefined) return '';
  const isRead = MINUTES.some((minutes) => minutes === window);
  const sum = `sum_over_time(crate:slo_errors:increase5m{slo="${name}"}[${window}])`;
  return ` and on(namespace) ${isRead ? over(errors, window) : sum} >= ${fewestErrors}`;
}

function over(expression: string, window: string): string {
  return expression.replaceAll('$window', window);
}
