import { canonicalJson } from '@crate/resource-server';
import type { FrameworkStanding } from '../compliance/compliance.js';
import type { Counts } from '../report/assessment.js';
import {
  evidenceTitle,
  waiverEnd,
  type EvidenceResult,
  type EvidenceRule,
  type EvidenceWaiver,
  type SealedEvidence,
} from './evidence.js';
import { escape, facts, inTwoLines, mark, table } from './html-markup.js';

const STYLE = `body{font:14px/1.45 system-ui,sans-serif;color:#1a1a1a;margin:2rem auto;max-width:75rem;padding:0 1rem}
h1{font-size:1.6rem;margin-bottom:.2rem}h2{font-size:1.15rem;margin-top:2rem;border-bottom:2px solid #ddd}
table{border-collapse:collapse;width:100%;margin:.6rem 0}th,td{text-align:left;vertical-align:top;padding:.3rem .5rem;border-bottom:1px solid #e3e3e3;overflow-wrap:anywhere}
th{background:#f5f5f5;white-space:nowrap}td span{white-space:nowrap}.n{text-align:right;font-variant-numeric:tabular-nums}code{font-size:.9em}
.fail{color:#a40000;font-weight:600}.error{color:#7a3e00;font-weight:600}.warn{color:#7a5b00}.skip{color:#444}.pass{color:#0a5d1e}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}dt{font-weight:600}dd{margin:0;overflow-wrap:anywhere}
@media print{body{margin:0;max-width:none;font-size:10px}h2{break-after:avoid}tr{break-inside:avoid}}`;

/** A page that needs nothing else: what a person hands to an auditor. The evidence itself is in it, so that the digest can be checked. */
export function htmlOf(evidence: SealedEvidence): string {
  const title = escape(evidenceTitle(evidence));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${STYLE}</style></head><body>
<h1>${title}</h1>
${origin(evidence)}
<h2>Summary</h2>
${table(['Rules', ...OUTCOME_HEADS], [['all', ...countCells(evidence.summary)]])}
<h2>Frameworks</h2>
${frameworkTables(evidence.frameworks)}
<h2>Findings</h2>
${noneOf(evidence.results)}
${evidence.omitted > 0 ? `<p>${evidence.omitted} further findings are not listed.</p>` : ''}
${findingTable(evidence.results)}
<h2>Waivers</h2>
${noneOf(evidence.waivers)}
${waiverTable(evidence.waivers)}
<h2>Rules in force</h2>
${ruleTable(evidence.rules)}
<h2>How to check this page</h2>
${check(evidence)}
</body></html>
`;
}

function origin(evidence: SealedEvidence): string {
  const { generatedAt, generatedBy, judgedAt, clusters, documents, rules, rulesDigest, digest } = evidence;
  return facts([
    ['Generated', `${generatedAt} by ${generatedBy}`],
    ['Last judged', judgedAt],
    ['Covers', `${clusters} clusters, ${documents} documents, ${rules.length} rules`],
    ['Rules in force', rulesDigest],
    ['SHA-256 of this evidence', digest],
  ]);
}

const OUTCOME_HEADS = ['Pass', 'Fail', 'Warn', 'Error', 'Waived'];

function countCells({ pass, fail, warn, error, skip }: Counts): number[] {
  return [pass, fail, warn, error, skip];
}

function frameworkTables(frameworks: readonly FrameworkStanding[]): string {
  const overview = table(
    ['Framework, controls', ...OUTCOME_HEADS],
    frameworks.map(({ framework, controls }) => [framework, ...countCells(controls)]),
  );
  const details = frameworks.map(
    ({ framework, details: controls }) =>
      `<details><summary>${escape(framework)}</summary>${table(
        ['Control', 'Result', 'Rules'],
        controls.map(({ control, status, rules }) => [
          control,
          mark(status),
          rules.map(({ policy, status: each }) => `${policy} (${each === 'skip' ? 'waived' : each})`).join(', '),
        ]),
      )}</details>`,
  );
  return overview + details.join('\n');
}

function noneOf(listed: readonly unknown[]): string {
  return listed.length === 0 ? '<p>None.</p>' : '';
}

function findingTable(results: readonly EvidenceResult[]): string {
  return table(
    ['Result', 'Cluster', 'Rule', 'Severity', 'Where', 'What is wrong', 'What to do', 'Since'],
    results.map((result) => [
      mark(result.result),
      `${result.project}/${result.cluster}`,
      `${result.policy}${result.waiver === '' ? '' : ` (waiver ${result.waiver})`}`,
      result.severity,
      `${result.resource} ${result.field}`,
      result.message,
      result.remedy,
      inTwoLines(result.since),
    ]),
  );
}

function waiverTable(waivers: readonly EvidenceWaiver[]): string {
  return table(
    ['Waiver', 'Rules', 'Clusters', 'Reason', 'Ticket', 'Asked by', 'Approved by', 'Expires', 'Ended before'],
    waivers.map((waiver) => [
      waiver.name,
      waiver.policies.join(', '),
      waiver.clusters.length === 0 ? 'all' : waiver.clusters.join(', '),
      waiver.reason,
      waiver.ticket,
      waiver.requestedBy,
      `${waiver.approvedBy} ${waiver.approvedAt}`,
      inTwoLines(waiver.expiresAt),
      waiverEnd(waiver),
    ]),
  );
}

function ruleTable(rules: readonly EvidenceRule[]): string {
  return table(
    ['Result', 'Rule', 'Title', 'Level', 'Enforcement', 'Pack', 'Revision', 'References'],
    rules.map((rule) => [
      mark(rule.status),
      rule.policy,
      rule.title,
      rule.level,
      rule.enforcement,
      rule.category,
      `${rule.generation} ${rule.revision.slice(0, 16)}`,
      rule.references.join('; '),
    ]),
  );
}

function check({ digest: _digest, ...signed }: SealedEvidence): string {
  return `<p>The evidence is in this page as JSON, in the element with the id <code>evidence</code>. Parsed and written again as canonical JSON
(members sorted, no spaces), its SHA-256 is the digest above; to vouch for the page, sign the digest.</p>
<script type="application/json" id="evidence">${canonicalJson(signed).replaceAll('<', '\\u003c')}</script>`;
}
