import { describe, expect, it } from '@jest/globals';
import { aDriftScope } from '../testing/drift-bench.js';
import { newDriftRecord, type DriftRecord } from './drift-record.js';
import type { DriftScope } from './drift-scope.js';
import { checkReleased } from './released-stack.js';

const change = { actions: ['update'], before: { name: 'theirs' }, after: { name: 'ours' } };
const vpc = { address: 'aws_vpc.a', type: 'aws_vpc', name: 'a', mode: 'managed' };
const planned = { resource_changes: [{ ...vpc, change }] };
/** Terraform saw meanwhile that somebody changed it. */
const drifted = {
  ...planned,
  resource_drift: [{ ...vpc, change: { ...change, before: change.after, after: change.before } }],
};
const tag = { actions: ['update'], before: { tags: { team: 'theirs' } }, after: { tags: { team: 'ours' } } };
const driftedTag = {
  resource_changes: [{ ...vpc, change: tag }],
  resource_drift: [{ ...vpc, change: { ...tag, before: tag.after, after: tag.before } }],
};
const held = { code: 'ImpactAboveCeiling', message: 'It destroys a' };

describe('checkReleased', () => {
  const rows: readonly {
    name: string;
    plan: Readonly<Record<string, unknown>>;
    policy?: 'observe' | 'correct';
    drift?: Partial<DriftScope>;
    record?: Partial<DriftRecord>;
    isRefused: boolean;
  }[] = [
    { name: 'lets pass what changes nothing', plan: { resource_changes: [] }, isRefused: false },
    { name: 'refuses what has an impact', plan: planned, isRefused: true },
    { name: 'refuses it under correct, too', plan: planned, policy: 'correct', isRefused: true },
    { name: 'puts nothing back that is observed, whatever its impact', plan: driftedTag, isRefused: true },
    { name: 'puts back what the policy says', plan: drifted, policy: 'correct', isRefused: false },
    { name: 'puts back nothing that is held', plan: drifted, policy: 'correct', record: { held }, isRefused: true },
    { name: 'puts back what somebody decided', plan: drifted, drift: { correction: 'decided' }, isRefused: false },
  ];
  it.each(rows)('$name', ({ plan, policy = 'observe', drift, record, isRefused }) => {
    const scope = aDriftScope({ policy, isReleased: true });
    const known = { ...newDriftRecord(new Date(0), undefined), ...record };
    scope.drift = { record: known, isOnHold: false, isApplying: true, ...drift };
    const check = (): void => checkReleased(scope, plan);
    if (!isRefused) return expect(check).not.toThrow();
    expect(check).toThrow(expect.objectContaining({ code: 'Forbidden', retry: 'slow' }));
    expect(check).toThrow(/aws_vpc\.a/);
  });
});
