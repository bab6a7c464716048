import { describe, expect, it } from '@jest/globals';
import { aDriftScope, type Given } from '../testing/drift-bench.js';
import { newDriftRecord, type DriftRecord } from './drift-record.js';
import type { DriftScope } from './drift-scope.js';
import { checkUnasked, waitingSteps } from './unasked-run.js';

type Json = Readonly<Record<string, unknown>>;

const document = { resource: { aws_vpc: { vpc: {} }, aws_eip: { a: {} }, aws_instance: { a: {} } } };

function step(address: string, actions: readonly string[], values: Json = { name: 1 }, more: Json = {}): Json {
  const [type, name] = address.split('.');
  const before = Object.fromEntries(Object.keys(values).map((key) => [key, 'before']));
  return { address, type, name, mode: 'managed', change: { actions, before, after: values }, ...more };
}

const planOf = (...steps: readonly Json[]): Json => ({ resource_changes: steps });

/** Somebody renamed the network, and the plan names it as it was. */
const rename = step('aws_vpc.vpc', ['update'], { name: 'ours' });
const seen = { ...rename, change: { actions: ['update'], before: { name: 'ours' }, after: { name: 'before' } } };
const putBack = (...others: readonly Json[]): Json => ({ ...planOf(rename, ...others), resource_drift: [seen] });

interface Case {
  readonly name: string;
  readonly plan: Json;
  readonly given?: Given;
  readonly maxImpact?: 'none' | 'replace';
  readonly adopted?: readonly string[];
  readonly drift?: Partial<DriftScope>;
  readonly record?: Partial<DriftRecord>;
}

function scopeOf({ given, maxImpact, adopted = [], drift, record }: Case): ReturnType<typeof aDriftScope> {
  const scope = aDriftScope(given);
  Object.assign(scope.infrastructure.spec, maxImpact === undefined ? {} : { maxImpact });
  Object.assign(scope, { stack: { document, hash: 'h' }, adopted: new Set(adopted) });
  const known = { ...newDriftRecord(new Date(0), undefined), ...record };
  scope.drift = { record: known, isOnHold: false, isApplying: true, ...drift };
  return scope;
}

const correct = { policy: 'correct' } as const;
const replaced = planOf(step('aws_eip.a', ['delete', 'create']));
const twin = step('aws_eip.surplus-0', ['delete']);
const held = { code: 'ImpactAboveCeiling', message: 'It destroys a' };

describe('checkUnasked', () => {
  const passing: readonly Case[] = [
    { name: 'nothing at all', plan: planOf() },
    { name: 'what nothing that runs notices', plan: planOf(step('aws_vpc.vpc', ['update'], { tags: 'b' })) },
    { name: 'what was made twice', plan: planOf(twin) },
    { name: 'what it took over', plan: planOf(rename), adopted: ['aws_vpc.vpc'] },
    {
      name: 'what an earlier run left half done',
      plan: planOf(
        step('aws_eip.a', ['delete', 'create'], {}, { action_reason: 'replace_because_tainted' }),
        step('aws_vpc.vpc', ['delete'], {}, { deposed: '1a2b' }),
      ),
    },
    { name: 'what correct puts back', plan: putBack(), given: correct },
    { name: 'what was made twice, under correct as well', plan: planOf(twin), given: correct },
    { name: 'what the cluster allows to be replaced', plan: replaced, given: correct, maxImpact: 'replace' },
    { name: 'what somebody decided', plan: putBack(twin), drift: { correction: 'decided' } },
  ];
  it.each(passing)('lets pass $name', (row) => {
    expect(() => checkUnasked(scopeOf(row), row.plan)).not.toThrow();
  });

  const refused: readonly Case[] = [
    { name: 'what puts back what is observed', plan: putBack(twin) },
    { name: 'what puts back what is held', plan: putBack(), given: { policy: 'hold' } },
    { name: 'what correct must not put back', plan: putBack(), given: correct, record: { held } },
    { name: 'what restarts something', plan: planOf(rename) },
    { name: 'what replaces something, under correct', plan: replaced, given: correct },
    { name: 'the same where the policy lets it run', plan: replaced, drift: { correction: 'policy' } },
    { name: 'what is above the ceiling, be it made twice', plan: planOf(twin), maxImpact: 'none' },
    {
      name: 'what stops a machine that it took over',
      plan: planOf(step('aws_instance.a', ['update'], { instance_type: 'm5.large' })),
      adopted: ['aws_instance.a'],
    },
    { name: 'what nobody understands', plan: planOf(step('aws_vpc.vpc', ['melt'])) },
  ];
  it.each(refused)('refuses $name', (row) => {
    expect(() => checkUnasked(scopeOf(row), row.plan)).toThrow(
      expect.objectContaining({
        code: 'Forbidden',
        retry: 'slow',
        details: expect.objectContaining({ reason: 'RunHeld' }),
      }),
    );
  });

  it('names what it would put back, and how to decide about that', () => {
    expect(() => checkUnasked(scopeOf({ name: '', plan: {} }), putBack())).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('put back aws_vpc.vpc'),
        details: expect.objectContaining({ remedy: expect.stringContaining('crate drift keep') }),
      }),
    );
  });

  it('has it compared soon why, unless only a run sees what it looks for', () => {
    const soon = scopeOf({ name: '', plan: {} });
    expect(() => checkUnasked(soon, putBack())).toThrow();
    expect(soon.drift?.postponedMs).toBeGreaterThan(0);

    const stopped = scopeOf({ name: '', plan: {}, given: { stoppedMachines: ['a (i-a)', 'b (i-b)'] } });
    const started = { before: { id: 'i-a' }, after: { id: 'i-a', instance_state: 'running' } };
    const plan = { ...putBack(), resource_drift: [seen, { type: 'aws_instance', name: 'a', change: started }] };
    expect(() => checkUnasked(stopped, plan)).toThrow();
    expect(stopped).toMatchObject({ stoppedMachines: ['b (i-b)'] });
    expect(stopped.drift?.postponedMs).toBeUndefined();
  });
});

describe('waitingSteps', () => {
  const drifted = [{ address: 'aws_vpc.vpc', kind: 'changed', attributes: [{ path: 'name' }] } as const];
  const run = { spec: {}, document, isPutBack: false };

  it.each([
    { name: 'nothing beside what is to stay', plan: putBack(), drifted, want: undefined },
    {
      name: 'whatever comes with what is to stay',
      plan: putBack(twin, step('aws_eip.a', ['create'])),
      drifted,
      want: 'create aws_eip.a (none), destroy aws_eip.surplus-0 (replace)',
    },
    {
      name: 'nothing beside what is missing and is to stay so',
      plan: planOf(step('aws_vpc.vpc', ['create'])),
      drifted: [{ address: 'aws_vpc.vpc', kind: 'missing', attributes: [] } as const],
      want: undefined,
    },
    { name: 'nothing that was made twice', plan: planOf(twin), drifted: [], want: undefined },
    { name: 'what has an impact', plan: replaced, drifted: [], want: 'replace aws_eip.a (replace)' },
  ])('is $name', ({ plan, drifted: differing, want }) => {
    expect(waitingSteps(plan, differing, run)).toBe(want);
  });

  it('is what is above the limit where the rest may be put back', () => {
    expect(waitingSteps(putBack(), drifted, { ...run, isPutBack: true })).toBeUndefined();
    const more = putBack(step('aws_eip.a', ['delete', 'create']));
    expect(waitingSteps(more, drifted, { ...run, isPutBack: true })).toBe('replace aws_eip.a (replace)');
  });
});
