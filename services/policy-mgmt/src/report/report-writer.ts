import { isDeepStrictEqual } from 'node:util';
import type { PolicyReport, PolicyReportResult } from '@crate/api';
import { hasCode } from '@crate/errors';
import type { TypedClient } from '@crate/resource-client';
import type { ReportDraft } from './report-body.js';

type Time = NonNullable<PolicyReportResult['timestamp']>;

/** Keeps stored reports as drafts say; writes nothing while they do. */
export class ReportWriter {
  constructor(
    private readonly reports: TypedClient<PolicyReport>,
    private readonly now: () => number = Date.now,
  ) {}

  /** True when something was written. `isNew` says that there is likely none yet, which saves a look. */
  async write(draft: ReportDraft, isNew = false): Promise<boolean> {
    if (isNew && (await this.isCreated(draft))) return true;
    const { namespace, name } = draft.metadata;
    const stored = await this.reports.find(name, namespace);
    const dated = this.dated(draft, stored?.results);
    if (!stored) {
      await this.reports.create({ ...dated });
      return true;
    }
    if (isAsDrafted(stored, dated)) return false;
    const { labels, annotations } = dated.metadata;
    const gone = Object.keys(stored.metadata.annotations ?? {}).filter((key) => !(key in annotations));
    const removed = Object.fromEntries(gone.map((key) => [key, null]));
    const { scope, summary, results } = dated;
    const metadata = { labels, annotations: { ...annotations, ...removed } };
    await this.reports.merge(name, namespace, { metadata, scope, summary, results });
    return true;
  }

  /** False when there is one: a pass before this one was cut short. */
  private async isCreated(draft: ReportDraft): Promise<boolean> {
    try {
      await this.reports.create({ ...this.dated(draft) });
      return true;
    } catch (error) {
      if (!hasCode(error, 'AlreadyExists')) throw error;
      return false;
    }
  }

  private dated(draft: ReportDraft, before: readonly PolicyReportResult[] = []): ReportDraft {
    return withTimes(draft, before, { seconds: Math.floor(this.now() / 1000), nanos: 0 });
  }

  /** Idempotent. */
  async remove(namespace: string, name: string): Promise<void> {
    await this.reports.remove(name, namespace);
  }
}

/**
 * Each finding tells since when it is so: what was there before keeps its time. Of several in one place each is known by its words; who
 * speaks of what no other is known by is the same in other words, such as with another number or those of a newer rule. So a finding
 * that comes in the pass in which another of its place goes has the time of that one: nothing else tells them apart.
 */
function withTimes(draft: ReportDraft, before: readonly PolicyReportResult[], now: Time): ReportDraft {
  const times = new Map<PolicyReportResult, Time | undefined>();
  let left = before;
  for (const identity of [wordsOf, identityOf]) {
    const known = groupedBy(left, identity);
    for (const result of draft.results) {
      if (result.result === 'pass' || times.has(result)) continue;
      const same = known.get(identity(result))?.shift();
      if (same) times.set(result, same.timestamp);
    }
    left = [...known.values()].flat();
  }
  const results = draft.results.map((result) =>
    result.result === 'pass' ? result : { ...result, timestamp: times.get(result) ?? now },
  );
  return { ...draft, results };
}

function groupedBy<T>(all: readonly T[], keyOf: (each: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const each of all) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group) group.push(each);
    else groups.set(key, [each]);
  }
  return groups;
}

function wordsOf(result: PolicyReportResult): string {
  return JSON.stringify([identityOf(result), result.message]);
}

function identityOf({ policy, result, resources = [], properties = {} }: PolicyReportResult): string {
  const [object] = resources;
  // Of a Project's result the clusters change, and it is still the same rule that is broken.
  const where = properties['clusters'] === undefined ? [object?.kind, object?.namespace, object?.name] : [];
  return JSON.stringify([policy, result, ...where, properties['field']]);
}

function isAsDrafted({ metadata, scope, summary, results }: PolicyReport, draft: ReportDraft): boolean {
  const { labels = {}, annotations = {} } = metadata;
  const stored = { labels, annotations, scope, summary, results };
  const { metadata: wanted, ...body } = draft;
  return isDeepStrictEqual(stored, { labels: wanted.labels, annotations: wanted.annotations, ...body });
}
