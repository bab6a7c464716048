import type { CloudAccount, DriftPolicy, Impact, Infrastructure } from '@crate/api';
import { conflict, unavailable } from '@crate/errors';
import { ScriptedPolicyReviewer } from '@crate/messaging';
import { DeletionWatch } from '@crate/reconcile';
import { TerraformError } from '@crate/terraform';
import { eventually } from '@crate/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { CloudProviders } from '../provider/cloud-providers.js';
import { InfrastructureClouds } from '../infrastructure/infrastructure-cloud.js';
import { aContext, InMemoryCloud } from '../testing/in-memory-cloud.js';
import type { DriftCheckTask, DriftFinding } from './drift-checker.js';
import { DriftLook } from './drift-look.js';
import { newDriftRecord, type DriftRecord } from './drift-record.js';

const NOW = new Date('2026-11-21T12:00:00Z');
const NOTHING: DriftFinding = { resources: [], plan: undefined, redact: (text) => text };

let cloud: InMemoryCloud;
let policies: ScriptedPolicyReviewer;
let account: CloudAccount;
let check: (task: DriftCheckTask) => Promise<DriftFinding>;
let look: DriftLook;

beforeEach(async () => {
  cloud = new InMemoryCloud();
  policies = new ScriptedPolicyReviewer();
  account = await cloud.ensureAccount();
  check = () => Promise.resolve(NOTHING);
  look = new DriftLook({
    checker: { check: (task) => check(task) },
    clouds: new InfrastructureClouds(new CloudProviders({ 'sandbox-aws': cloud.provider }), cloud.credentials),
    stack: { aliases: () => [] },
    policies,
    changes: new DeletionWatch(cloud.infrastructures, cloud.store, (found, started) => {
      return found.metadata.generation !== started.metadata.generation;
    }),
    now: () => NOW,
  });
});

/** Something that differs, and what putting it back does. */
function drifting(type: string, actions: readonly string[]): DriftFinding {
  const address = `${type}.a`;
  const change = { actions, before: { size: 1 }, after: { size: 2 } };
  const attributes = [{ path: 'size', before: 2, after: 1 }];
  return {
    resources: [{ address, type, id: 'x', kind: 'changed', attributes }],
    plan: { resource_changes: [{ address, type, name: 'a', mode: 'managed', change }] },
    redact: (text) => text,
  };
}

async function looking(
  given: {
    policy?: DriftPolicy;
    maxImpact?: Impact;
    isRequired?: boolean;
    isReleased?: boolean;
    isRefused?: boolean;
    context?: Parameters<typeof aContext>[0];
  } = {},
): Promise<DriftRecord | undefined> {
  const { policy = 'correct', maxImpact, isRequired = false, isReleased = false, isRefused = false, context } = given;
  const drift = { policy, everyMinutes: 60 };
  const infrastructure = await cloud.ensureInfrastructure('demo', {
    drift,
    ...(maxImpact === undefined ? {} : { maxImpact }),
  });
  const record = { ...newDriftRecord(NOW, 'run-1'), failures: 2, answered: 'a' };
  const asked = { document: { a: 1 }, stance: 's', isRequired, isReleased, isRefused };
  return look.look({ infrastructure, account, record, ...asked }, aContext(context));
}

describe('DriftLook', () => {
  it('notes that nothing differs', async () => {
    const tasks: DriftCheckTask[] = [];
    check = (task) => Promise.resolve((tasks.push(task), NOTHING));
    expect(await looking({ context: { epoch: 7n } })).toMatchObject({
      checkedAt: NOW,
      failures: 0,
      drift: undefined,
      held: undefined,
      runId: 'run-1',
      stance: 's',
      answered: 'a',
    });
    expect(tasks).toMatchObject([{ document: { a: 1 }, epoch: 7n, generation: 1 }]);
  });

  it.each([
    { name: 'what restarts something', type: 'aws_vpc', actions: ['update'], held: undefined },
    { name: 'what makes anew what is missing', type: 'aws_vpc', actions: ['create'], held: undefined },
    { name: 'what replaces something', type: 'aws_vpc', actions: ['delete', 'create'], held: 'ImpactAboveCeiling' },
    {
      name: 'what replaces something where that is allowed',
      type: 'aws_vpc',
      actions: ['delete', 'create'],
      maxImpact: 'replace' as const,
      held: undefined,
    },
    {
      name: 'what is above the ceiling',
      type: 'aws_vpc',
      actions: ['update'],
      maxImpact: 'none' as const,
      held: 'ImpactAboveCeiling',
    },
    { name: 'what nobody understands', type: 'aws_vpc', actions: ['melt'], held: 'ImpactAboveCeiling' },
    {
      name: 'anything where somebody else decides',
      policy: 'observe' as const,
      type: 'aws_vpc',
      actions: ['delete', 'create'],
      held: undefined,
    },
  ])('says whether $name is put back by itself', async ({ type, actions, held, ...given }) => {
    check = () => Promise.resolve(drifting(type, actions));
    const found = await looking(given);
    expect(found?.drift?.resources).toHaveLength(1);
    expect(found?.held?.code).toBe(held);
  });

  it('puts back nothing that policies forbid', async () => {
    check = () => Promise.resolve(drifting('aws_vpc', ['update']));
    const rule = {
      level: 'must',
      severity: 'high',
      effect: 'deny',
      title: '',
      field: '',
      message: '',
      remedy: '',
      references: [],
    } as const;
    policies.answer = {
      allowed: false,
      violations: [
        { ...rule, policy: 'p2' },
        { ...rule, policy: 'p1' },
        { ...rule, policy: 'advice', level: 'should', effect: 'warn' },
      ],
    };
    expect((await looking())?.held).toEqual({
      code: 'PolicyDenied',
      message: 'Policies forbid to put it back: p1, p2',
    });
  });

  it('notes what the release would do unasked, apart from what puts back a drift', async () => {
    const tasks: DriftCheckTask[] = [];
    check = (task) => Promise.resolve((tasks.push(task), { ...drifting('aws_vpc', ['update']), resources: [] }));
    expect(await looking({ isReleased: true })).toMatchObject({
      unasked: 'update aws_vpc.a (restart)',
      drift: undefined,
      held: undefined,
    });
    expect(tasks).toMatchObject([{ isPlanAsked: true }]);
    check = () => Promise.resolve(drifting('aws_vpc', ['update']));
    expect((await looking({ isReleased: true }))?.unasked).toBeUndefined();
    check = () => Promise.resolve(NOTHING);
    expect((await looking({ isReleased: true }))?.unasked).toBeUndefined();
  });

  it('notes what else waits once a run was not let through, with what is to stay as it is', async () => {
    const tasks: DriftCheckTask[] = [];
    const twin = { actions: ['delete'], before: { size: 1 }, after: null };
    const { plan, ...drift } = drifting('aws_vpc', ['update']);
    const both = [
      ...(plan?.['resource_changes'] as object[]),
      { address: 'aws_eip.surplus-0', type: 'aws_eip', name: 'surplus-0', mode: 'managed', change: twin },
    ];
    check = (task) => Promise.resolve((tasks.push(task), { ...drift, plan: { resource_changes: both } }));
    const refused = { isRefused: true, policy: 'observe' } as const;
    expect((await looking(refused))?.unasked).toBe('destroy aws_eip.surplus-0 (replace)');
    expect(tasks).toMatchObject([{ isPlanAsked: true }]);
    expect((await looking({ policy: 'observe' }))?.unasked).toBeUndefined();
    check = () => Promise.resolve({ ...drift, resources: [], plan: { resource_changes: both.slice(1) } });
    expect((await looking(refused))?.unasked).toBeUndefined();
  });

  it.each([
    { name: 'the cloud', error: unavailable('The cloud does not answer'), want: 'Unavailable' },
    {
      name: 'Terraform',
      error: new TerraformError({
        code: 'RateLimited',
        message: 'Slow down',
        address: undefined,
        providerCode: undefined,
        remedy: '',
        retryable: true,
      }),
      want: 'RateLimited',
    },
  ])('notes a failure of $name, and leaves what was known', async ({ error, want }) => {
    check = () => Promise.reject(error);
    expect(await looking()).toMatchObject({
      failures: 3,
      failedAt: NOW,
      failure: { code: want },
      checkedAt: undefined,
    });
  });

  it('throws a failure as it is where nothing may be done without a look', async () => {
    const failure = { code: 'CredentialsRejected', message: 'No', remedy: 'Set new ones', retryable: true } as const;
    const error = new TerraformError({ ...failure, address: undefined, providerCode: undefined });
    check = () => Promise.reject(error);
    await expect(looking({ isRequired: true })).rejects.toBe(error);
  });

  it('leaves to others what is theirs', async () => {
    check = () => Promise.reject(conflict('A newer pass has taken over'));
    await expect(looking()).rejects.toMatchObject({ code: 'Conflict' });
    const stopping = AbortSignal.abort(unavailable('Interrupted'));
    check = () => Promise.reject(unavailable('Interrupted'));
    await expect(looking({ context: { remoteSignal: stopping } })).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('gives up for another spec', async () => {
    check = async ({ signal }) => {
      const change: Partial<Infrastructure['spec']> = { region: 'eu-west-1' };
      await cloud.ensureInfrastructure('demo', change);
      await eventually(() => signal.aborted);
      throw unavailable('aborted');
    };
    expect(await looking()).toBeUndefined();
  });
});
