import type { Evidence, EvidenceResult } from './evidence.js';

const COLUMNS = [
  'project',
  'cluster',
  'policy',
  'title',
  'result',
  'level',
  'severity',
  'effect',
  'stage',
  'resource',
  'field',
  'message',
  'remedy',
  'references',
  'waiver',
  'since',
] as const satisfies readonly (keyof EvidenceResult)[];

/** Spreadsheets take what begins so for a formula. Source: https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^[=+\-@\t\r]/;

/** A line for each finding, and one for each rule that nothing breaks (RFC 4180). */
export function csvOf({ scope, results, rules }: Evidence): string {
  const passes = rules
    .filter(({ status }) => status === 'pass')
    .map((rule) => ({
      project: scope.project,
      cluster: scope.cluster ?? '',
      policy: rule.policy,
      title: rule.title,
      result: 'pass',
      level: rule.level,
      severity: rule.severity,
      references: rule.references.join('; '),
    }));
  const lines = [...results, ...passes].map((row) => COLUMNS.map((column) => cell(valueOf(row, column))));
  return [COLUMNS, ...lines].map((line) => `${line.join(',')}\r\n`).join('');
}

function valueOf(row: Partial<Record<(typeof COLUMNS)[number], string>>, column: (typeof COLUMNS)[number]): string {
  return row[column] ?? '';
}

/** What would be a formula gets an apostrophe, which makes it text. */
function cell(value: string): string {
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
