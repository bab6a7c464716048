/** Source: https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** PascalCase, stable, from a closed list per kind. */
  readonly reason: string;
  /** For the user: one line, capital first, no final dot, no times or attempt ids. */
  readonly message: string;
  /** RFC 3339, UTC; moves only when `status` moves. */
  readonly lastTransitionTime: string;
  /** The `metadata.generation` that it is about; below that of the object it is about an older spec. */
  readonly observedGeneration?: number;
}

/** A condition as a status function states it; `mergeConditions` stamps the rest. */
export type ConditionFact = Omit<Condition, 'lastTransitionTime' | 'observedGeneration'>;

/** The fact that `type` holds. */
export function conditionTrue(type: string, reason: string, message = ''): ConditionFact {
  return { type, status: 'True', reason, message };
}

/** The fact that `type` does not hold, and why. */
export function conditionFalse(type: string, reason: string, message: string): ConditionFact {
  return { type, status: 'False', reason, message };
}

/** We could not look; the last known message may be kept by the caller. */
export function conditionUnknown(type: string, reason: string, message: string): ConditionFact {
  return { type, status: 'Unknown', reason, message };
}

export interface MergeConditionsOptions {
  /** The `metadata.generation` that the facts are about. */
  readonly generation: number;
  /** Becomes the `lastTransitionTime` of what moved, in whole seconds. */
  readonly now: Date;
}

/**
 * Stamps new facts over the previous conditions: `lastTransitionTime` is kept while `status` does not move.
 * Types that no fact mentions are dropped. Pure; the result is in the order of `facts`.
 */
export function mergeConditions(
  previous: readonly Condition[] | undefined,
  facts: readonly ConditionFact[],
  options: MergeConditionsOptions,
): Condition[] {
  const byType = new Map((previous ?? []).map((condition) => [condition.type, condition]));
  const now = toTimestamp(options.now);
  return facts.map((fact) => {
    const before = byType.get(fact.type);
    const lastTransitionTime = before?.status === fact.status ? before.lastTransitionTime : now;
    return { ...fact, lastTransitionTime, observedGeneration: options.generation };
  });
}

/** The condition of `type`, or undefined while nobody has stated it. */
export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** True only when the condition is stated, True, and (when asked) about `generation` or later. */
export function isConditionTrue(
  conditions: readonly Condition[] | undefined,
  type: string,
  generation?: number,
): boolean {
  const found = findCondition(conditions, type);
  if (found?.status !== 'True') return false;
  return generation === undefined || (found.observedGeneration ?? 0) >= generation;
}

/** RFC 3339 in UTC with whole seconds, as Kubernetes writes `metav1.Time`. */
export function toTimestamp(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}
