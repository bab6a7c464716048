import type { PolicyReportOutcome, PolicyReportSummary } from '@crate/api';
import { apiJson } from '../../../api/http.js';
import { KINDS, objectPath } from '../../../api/paths.js';

/** A control, and the rules that refer to it. */
export interface Control {
  readonly control: string;
  readonly status: PolicyReportOutcome;
  readonly rules: readonly { readonly policy: string; readonly title: string; readonly status: PolicyReportOutcome }[];
}

/** How a framework stands, as far as rules look at it. */
export interface Framework {
  readonly framework: string;
  readonly controls: PolicyReportSummary;
  readonly details: readonly Control[];
}

/** What `compliance` of a report answers. */
export interface Compliance {
  readonly judgedAt?: string;
  readonly summary: PolicyReportSummary;
  readonly frameworks: readonly Framework[];
}

/** One point of `history`. */
export interface HistoryPoint {
  readonly time: string;
  readonly rules: PolicyReportSummary;
}

/** Throws ApiError. */
export function readCompliance(project: string, signal: AbortSignal): Promise<Compliance> {
  return apiJson(reportPath(project, 'compliance'), { signal });
}

/** Throws ApiError. */
export async function readHistory(project: string, signal: AbortSignal): Promise<readonly HistoryPoint[]> {
  const path = reportPath(project, 'history');
  return (await apiJson<{ readonly points: readonly HistoryPoint[] }>(path, { signal })).points;
}

/** Of all, in whole percent: rounded down, so that 100 means all. What is waived counts as met by nobody. Pure. */
export function percentMet(counts: PolicyReportSummary): number {
  const all = allOf(counts);
  return all === 0 ? 100 : Math.floor((counts.pass / all) * 100);
}

/** How many there are, however they stand. Pure. */
export function allOf({ pass, fail, warn, error, skip }: PolicyReportSummary): number {
  return pass + fail + warn + error + skip;
}

function reportPath(project: string, subresource: string): string {
  return objectPath(KINDS.policyReport, `project.${project}`, project, subresource);
}

const DAY_MS = 86_400_000;

/** Of so short a time days say nothing: the time of the day does. Pure. */
export function isWithinTwoDays(points: readonly HistoryPoint[]): boolean {
  const [begin = 0, end = 0] = [points[0], points.at(-1)].map((point) => Date.parse(point?.time ?? ''));
  return end - begin < 2 * DAY_MS;
}
