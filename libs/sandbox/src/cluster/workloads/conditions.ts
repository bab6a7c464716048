import { isDeepStrictEqual } from 'node:util';

/** A condition of one of Kubernetes' own kinds. */
export interface CoreCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly [field: string]: unknown;
}

/** States facts over earlier conditions: `lastTransitionTime` moves with `status`; other types stay. */
export function setConditions(
  previous: readonly CoreCondition[] | undefined,
  facts: readonly CoreCondition[],
  now: string,
): CoreCondition[] {
  const before = new Map((previous ?? []).map((condition) => [condition.type, condition]));
  for (const fact of facts) {
    const old = before.get(fact.type);
    const lastTransitionTime = old?.status === fact.status ? old['lastTransitionTime'] : now;
    before.set(fact.type, { ...fact, lastTransitionTime });
  }
  const after = [...before.values()];
  return isDeepStrictEqual(after, previous) ? [...(previous ?? [])] : after;
}

export function hasCondition(conditions: readonly CoreCondition[] | undefined, type: string, status = 'True'): boolean {
  return conditions?.some((condition) => condition.type === type && condition.status === status) ?? false;
}

/** Drops counts of zero, which Kubernetes leaves out of a status. */
export function withoutZeros<T extends Readonly<Record<string, unknown>>>(status: T): T {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== 0 && value !== undefined)) as T;
}
