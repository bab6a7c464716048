import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  POLICY_WAIVER,
  type PolicyReviewRequest,
  type PolicyReviewResponse,
  type PolicyWaiver,
  type PolicyWaiverSpec,
} from '@crate/api';
import { NatsResourceApi, type NatsServiceCaller } from '@crate/messaging';
import { GOOD_CLUSTER, NAMED_DEMO } from '@crate/policy-engine';
import { TypedClient, type Caller, type CallContext } from '@crate/resource-client';
import type { ServiceHost } from '@crate/service-host';
import { eventually } from '@crate/testing';
import { ServiceBench } from './testing/service-bench.js';

const PROJECT = 'team-a';
const ADA: Caller = { user: 'ada', groups: [] };
const GRACE: Caller = { user: 'grace', groups: [] };
const ROOT: Caller = { user: 'root', groups: ['platform-admin'] };

describe('waivers, at two replicas', () => {
  let bench: ServiceBench;
  let replicas: ServiceHost[];
  let lifecycle: NatsServiceCaller;
  let api: NatsResourceApi;

  beforeAll(async () => {
    bench = await ServiceBench.start();
    replicas = await Promise.all([bench.replica(), bench.replica()]);
    lifecycle = await bench.callerOf('lifecycle');
    api = new NatsResourceApi(lifecycle, 'policy-mgmt');
    const policies = bench.policies(lifecycle);
    await policies.ensure({ metadata: { name: 'own-name' }, spec: NAMED_DEMO }, 'test');
    const firm = { ...NAMED_DEMO, level: 'may' as const };
    await policies.ensure({ metadata: { name: 'own-firm' }, spec: { ...firm, waivableBy: 'Nobody' } }, 'test');
  });

  afterAll(async () => {
    for (const replica of replicas) await replica.stop();
    await bench.stop();
  });

  const as = (caller: Caller): CallContext => ({ ...bench.context, caller });
  const waivers = (caller: Caller): TypedClient<PolicyWaiver> => new TypedClient(api, POLICY_WAIVER, as(caller));

  async function ask(caller: Caller, spec: Partial<PolicyWaiverSpec> = {}): Promise<PolicyWaiver> {
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const common = { policies: ['own-name'], reason: 'Because the test says so', expiresAt };
    return waivers(caller).create({ metadata: { name: 'w', namespace: PROJECT }, spec: { ...common, ...spec } });
  }

  function decide(caller: Caller, what: 'approve' | 'revoke'): Promise<unknown> {
    const { group, version, plural } = POLICY_WAIVER;
    const ref = { group, version, plural, namespace: PROJECT, name: 'w' };
    return api.writeSubresource(ref, what, { verb: 'create', body: {} }, as(caller));
  }

  /** What many reviews at once say, so that both replicas are among those who answer. */
  async function verdicts(namespace = PROJECT, name = 'other'): Promise<ReadonlySet<boolean>> {
    const document = { ...GOOD_CLUSTER, metadata: { name, namespace } };
    const request: PolicyReviewRequest = { stage: 'ClusterSpec', document, subject: { namespace, name } };
    const asking = Array.from({ length: 12 }, () =>
      lifecycle.call<PolicyReviewResponse>('policy-mgmt', 'review', request, bench.context),
    );
    return new Set((await Promise.all(asking)).map(({ allowed }) => allowed));
  }

  it('decide from the next review on, and no longer once they are taken back', async () => {
    for (let round = 0; round < 3; round += 1) {
      await ask(ADA, { clusters: ['oth*'] });
      expect(await verdicts()).toEqual(new Set([false]));
      await decide(GRACE, 'approve');
      expect(await verdicts()).toEqual(new Set([true]));
      expect(await verdicts(PROJECT, 'another')).toEqual(new Set([false]));
      expect(await verdicts('team-b')).toEqual(new Set([false]));
      if (round % 2 === 0) await decide(ADA, 'revoke');
      else await waivers(ADA).remove('w', PROJECT);
      expect(await verdicts()).toEqual(new Set([false]));
      await waivers(ADA).remove('w', PROJECT);
    }
  });

  it('are approved by another person, and of rules that somebody may waive', async () => {
    await expect(ask(ADA, { policies: ['own-firm'] })).rejects.toMatchObject({
      code: 'InvalidSpec',
      details: { causes: [{ field: 'spec.policies[0]' }] },
    });
    await ask(ADA);
    const key: Caller = { user: `system:apikey:${PROJECT}:ci`, groups: [] };
    for (const caller of [ADA, key])
      await expect(decide(caller, 'approve')).rejects.toMatchObject({ code: 'Forbidden' });
    await decide(ROOT, 'approve');

    await eventually(async () => {
      const { status } = (await waivers(ADA).find('w', PROJECT)) as PolicyWaiver;
      expect(status).toMatchObject({ requestedBy: 'ada', approvedBy: 'root', covers: { policies: ['own-name'] } });
    });
  });

  it('have who approved in the audit log', async () => {
    const { database } = (replicas[0] as ServiceHost).foundation;
    const rows = await database.rows<{ line: string }>(
      `SELECT line FROM audit_log WHERE project = $1 AND resource = 'policywaivers' AND user_name = 'root'`,
      [PROJECT],
    );
    expect(rows.map(({ line }) => JSON.parse(line) as unknown)).toMatchObject([
      { verb: 'create', subresource: 'approve', name: 'w', decision: 'allowed', code: 201 },
    ]);
  });

  it('let nobody say who approved', async () => {
    await waivers(ADA).remove('w', PROJECT);
    await ask(ADA);
    const approval = [{ by: 'root', at: '2026-06-01T00:00:00Z', as: 'PlatformAdmin' }];
    const annotations = { 'policy.crate.dev/approvals': JSON.stringify(approval) };
    await waivers(ADA).merge('w', PROJECT, { metadata: { annotations } });
    expect(await verdicts()).toEqual(new Set([false]));
    const stored = (await waivers(ADA).find('w', PROJECT)) as PolicyWaiver;
    await expect(waivers(ADA).saveStatus(stored, { approvedBy: 'root' })).rejects.toMatchObject({ code: 'Forbidden' });
  });
});
