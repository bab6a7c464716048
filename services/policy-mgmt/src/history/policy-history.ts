import { isDeepStrictEqual } from 'node:util';
import { complianceOf, rulesByStatus, together } from '../compliance/compliance.js';
import type { ClusterKey } from '../memory/remembered-document.js';
import type { Counts } from '../report/assessment.js';
import type { RulesByName } from '../report/report-body.js';
import type { HistoryPoint, HistoryRepository } from './history.repository.js';

/** Changes of this long make one point: while somebody edits rules, numbers go up and down. */
const SETTLE_MS = 5 * 60_000;
/** Points that a reader gets. */
const MOST_POINTS = 1_000;

/** Notes how numbers change: a point for each day, and one for each change. */
export class PolicyHistory {
  constructor(
    private readonly points: HistoryRepository,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Writes nothing while the numbers of the day are as they were. `judged` holds rules by cluster; `isNew` says that nothing was noted yet,
   * which saves a look.
   */
  async note(
    key: ClusterKey,
    judged: readonly ReadonlyMap<string, Counts>[],
    rules: RulesByName,
    isNew = false,
  ): Promise<void> {
    const all = together(judged);
    const frameworks = complianceOf(all, rules).map(({ framework, controls }) => [framework, controls] as const);
    const counts = { rules: rulesByStatus(all), frameworks: Object.fromEntries(frameworks) };
    const nowMs = this.now();
    const last = isNew ? undefined : await this.points.last(key);
    if (last && isSameDay(last.at.getTime(), nowMs) && isSame(last, counts)) return;
    const since = last && isSameDay(last.at.getTime(), nowMs) ? nowMs - SETTLE_MS : nowMs;
    await this.points.put(key, { at: new Date(nowMs), ...counts }, new Date(since));
  }

  async list(key: ClusterKey): Promise<readonly HistoryPoint[]> {
    return this.points.list(key, MOST_POINTS);
  }

  async remove(key: ClusterKey): Promise<void> {
    await this.points.remove(key);
  }
}

function isSame({ at: _at, ...last }: HistoryPoint, counts: Omit<HistoryPoint, 'at'>): boolean {
  return isDeepStrictEqual(last, counts);
}

function isSameDay(left: number, right: number): boolean {
  return new Date(left).toISOString().slice(0, 10) === new Date(right).toISOString().slice(0, 10);
}
