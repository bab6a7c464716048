import type { PolicyReport, PolicyReportResult } from '@crate/api';
import { formatTable } from '../progress/table.js';

const OUTCOMES = ['pass', 'fail', 'warn', 'error', 'skip'] as const;

/** Reports in one line each. */
export function reportTable(reports: readonly PolicyReport[]): readonly string[] {
  const rows = reports.map(({ metadata, scope, summary }) => [
    metadata.namespace ?? '',
    scope?.kind ?? '',
    scope?.name ?? metadata.name,
    ...OUTCOMES.map((outcome) => String(summary?.[outcome] ?? 0)),
  ]);
  return formatTable(['PROJECT', 'KIND', 'NAME', ...OUTCOMES.map((outcome) => outcome.toUpperCase())], rows);
}

/** What one report says is wrong, then the numbers. */
export function reportLines(report: PolicyReport): readonly string[] {
  const wrong = (report.results ?? []).filter(({ result }) => result !== 'pass');
  const findings = formatTable(
    ['RESULT', 'SEVERITY', 'POLICY', 'OBJECT', 'FIELD', 'MESSAGE'],
    wrong.map((finding) => [
      finding.result ?? '',
      finding.severity ?? '',
      finding.policy,
      objectOf(finding),
      finding.properties?.['field'] ?? '',
      finding.message ?? '',
    ]),
  );
  return [...(wrong.length === 0 ? ['Nothing is broken'] : findings), '', ...reportTable([report])];
}

function objectOf({ resources }: PolicyReportResult): string {
  const [first] = resources ?? [];
  return first ? `${first.kind}/${first.name}` : '';
}
