import type { SweepFinding, SweepReport } from '@crate/api';
import { formatTable } from '../progress/table.js';

const HEADER = ['DECISION', 'REASON', 'TYPE', 'ID', 'NAME', 'REGION', 'CLUSTER', 'SINCE'];

/** What a sweep found, for people; `isDone`: it is being done, not only shown. Ends with a line end. */
export function sweepText(report: SweepReport, isDone: boolean): string {
  const { findings, omitted, regions, listed, others, unanswered = [] } = report;
  const where = regions.length === 0 ? 'no region: the account was never used' : regions.join(', ');
  const seen = `Looked at ${listed} ${listed === 1 ? 'resource' : 'resources'} in ${where}${others === 0 ? '' : `; ${others} ${others === 1 ? 'belongs' : 'belong'} to other installations`}.`;
  const looked = [seen, ...unanswered.map((text) => `${text}.`)].join('\n');
  if (findings.length === 0) return `${looked}\nNothing without an owner.\n`;
  const more = omitted === 0 ? [] : [`… and ${omitted} more`];
  return `${[looked, '', ...formatTable(HEADER, findings.map(rowOf)), ...more, '', ...reasons(findings), outlook(report, isDone)].join('\n')}\n`;
}

function rowOf({ decision, reason, type, id, name, region, owner, since }: SweepFinding): readonly string[] {
  return [decision, reason, type, id, name ?? '-', region, owner.cluster ?? '-', since];
}

/** Each explanation once: those of one reason may say of different things what to do. */
function reasons(findings: readonly SweepFinding[]): readonly string[] {
  return [...new Set(findings.map(({ reason, message }) => `${reason}: ${message}.`))].sort();
}

function outlook({ held, findings }: SweepReport, isDone: boolean): string {
  if (held !== undefined) return `Nothing is removed: ${held}.`;
  const count = findings.filter(({ decision }) => decision !== 'report').length;
  if (count === 0) return 'Nothing is done about these: a person has to decide.';
  const what = `${count} of these ${count === 1 ? 'is' : 'are'} to be looked after, each once it was found for long enough`;
  return isDone ? `A sweep has begun: ${what}.` : `Nothing was done. In a sweep, ${what}.`;
}
