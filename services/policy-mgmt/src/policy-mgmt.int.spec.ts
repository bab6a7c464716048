import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  isConditionTrue,
  POLICY,
  type PolicyExamples,
  type PolicyReviewRequest,
  type PolicyReviewResponse,
} from '@crate/api';
import { describedScopes, NatsResourceApi, type NatsServiceCaller } from '@crate/messaging';
import { GOOD_CLUSTER, NAMED_DEMO } from '@crate/policy-engine';
import type { ServiceHost } from '@crate/service-host';
import { eventually } from '@crate/testing';
import { ServiceBench } from './testing/service-bench.js';

describe('policy-mgmt', () => {
  let bench: ServiceBench;
  let replicas: ServiceHost[];
  let lifecycle: NatsServiceCaller;

  beforeAll(async () => {
    bench = await ServiceBench.start();
    // At once, on an empty database: both migrate it and publish the packs.
    replicas = await Promise.all([bench.replica(), bench.replica()]);
    lifecycle = await bench.callerOf('lifecycle');
  });

  afterAll(async () => {
    for (const replica of replicas) await replica.stop();
    await bench.stop();
  });

  async function review(changes: Record<string, unknown> = {}, calls = lifecycle): Promise<PolicyReviewResponse> {
    const document = { ...GOOD_CLUSTER, ...changes };
    const request: PolicyReviewRequest = { stage: 'ClusterSpec', document, subject: { namespace: 'a', name: 'demo' } };
    return calls.call('policy-mgmt', 'review', request, bench.context);
  }

  it('answers each service that may ask', async () => {
    for (const service of ['lifecycle', 'cloud-mgmt', 'cluster-mgmt']) {
      expect(await review({}, await bench.callerOf(service))).toEqual({ allowed: true, violations: [] });
    }
  });

  it('answers what the contract says, for the scopes that it says', () => {
    expect(replicas[0]?.methods.scopes()).toEqual(describedScopes('policy-mgmt'));
  });

  it('denies with rule, level, field and remedy', async () => {
    const spec = { ...(GOOD_CLUSTER['spec'] as object), region: 'me-south-1' };
    expect(await review({ spec })).toMatchObject({
      allowed: false,
      violations: [
        { policy: 'cluster-region-allowed', level: 'must', effect: 'deny', field: 'spec.region' },
        { policy: 'cost-machine-prices-known', level: 'may', effect: 'inform', field: 'spec.region' },
      ],
    });
  });

  it('judges many documents in one call, in order', async () => {
    const subject = { namespace: 'a', name: 'demo' };
    const bad = { ...GOOD_CLUSTER, spec: { ...(GOOD_CLUSTER['spec'] as object), region: 'me-south-1' } };
    const requests = [GOOD_CLUSTER, bad, GOOD_CLUSTER].map((document) => ({ stage: 'ClusterSpec', document, subject }));
    type Answer = { readonly responses: readonly PolicyReviewResponse[] };
    const { responses } = await lifecycle.call<Answer>('policy-mgmt', 'reviewAll', { requests }, bench.context);
    expect(responses.map(({ allowed }) => allowed)).toEqual([true, false, true]);
  });

  it('says BadRequest when the request is malformed', async () => {
    const request = { stage: 'Nonsense', document: {}, subject: { namespace: 'a', name: 'b' } };
    const failure = lifecycle.call('policy-mgmt', 'review', request, bench.context);
    await expect(failure).rejects.toMatchObject({ code: 'BadRequest', message: expect.stringContaining('stage') });
  });

  it('lets those that may only ask read and write nothing', async () => {
    const policies = bench.policies(await bench.callerOf('cloud-mgmt'));
    await expect(policies.list()).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(policies.remove('cluster-region-allowed')).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('shows the examples of a rule, and says what the rule makes of them and of what is changed in them', async () => {
    const { group, version, plural } = POLICY;
    const ref = { group, version, plural, name: 'cluster-region-allowed' };
    const api = new NatsResourceApi(lifecycle, 'policy-mgmt');
    const { items } = (await api.readSubresource(ref, 'examples', bench.context)) as PolicyExamples;
    const failing = items.find(({ expected }) => expected === 'fail');
    const evaluate = (document: unknown): Promise<unknown> =>
      api.writeSubresource(ref, 'evaluate', { verb: 'create', body: { document } }, bench.context);
    expect(await evaluate(failing?.document)).toMatchObject({
      result: 'fail',
      violations: [{ effect: 'deny', field: 'spec.region' }],
    });
    expect(await evaluate(GOOD_CLUSTER)).toMatchObject({ result: 'pass', violations: [] });
    await expect(evaluate('no document')).rejects.toMatchObject({ code: 'InvalidSpec' });
  });

  it('refuses a rule with a mistake, and says which', async () => {
    const policies = bench.policies(lifecycle);
    const spec = { ...NAMED_DEMO, validations: [{ expression: 'object.metadata.name = "demo"' }] };
    await expect(policies.ensure({ metadata: { name: 'mistaken' }, spec }, 'test')).rejects.toMatchObject({
      code: 'InvalidSpec',
      details: {
        causes: [{ field: 'spec.validations[0].expression', message: expect.stringContaining('line 1, column 22') }],
      },
    });
  });

  it('applies a rule at every replica as soon as it is written, changed or removed', async () => {
    const policies = bench.policies(lifecycle);
    const other = { metadata: { name: 'other', namespace: 'a' } };
    const verdicts = async (): Promise<Set<boolean>> =>
      new Set((await Promise.all(Array.from({ length: 10 }, () => review(other)))).map(({ allowed }) => allowed));

    for (let round = 0; round < 5; round += 1) {
      await policies.ensure({ metadata: { name: 'own' }, spec: NAMED_DEMO }, 'test');
      expect(await verdicts()).toEqual(new Set([false]));
      await policies.ensure({ metadata: { name: 'own' }, spec: { ...NAMED_DEMO, level: 'should' } }, 'test');
      expect(await verdicts()).toEqual(new Set([true]));
      await policies.remove('own');
      expect((await review(other)).violations).toEqual([]);
    }
  });

  it('says on each rule that it is ready, and then is quiet, also when it starts again', async () => {
    const policies = bench.policies(lifecycle);
    const areReady = async (): Promise<boolean> =>
      (await policies.list()).every(({ status }) => isConditionTrue(status?.conditions, 'Ready'));
    await eventually(areReady);
    const { store } = (replicas[0] as ServiceHost).foundation;
    const before = await store.currentRevision();

    const third = await bench.replica();
    expect(await review()).toMatchObject({ allowed: true });
    await third.stop();

    expect(await store.currentRevision()).toBe(before);
  });

  it('lets another service watch the rules, across a stop of the replica that answers', async () => {
    const policies = bench.policies(lifecycle);
    const abort = new AbortController();
    const seen: string[] = [];
    const { resourceVersion } = (await policies.ensure({ metadata: { name: 'seen' }, spec: NAMED_DEMO }, 'test'))
      .metadata;
    const watching = (async () => {
      for await (const { type, object } of policies.watch({ resourceVersion }, abort.signal)) {
        if (object.metadata.name === 'seen') seen.push(`${type} ${object.spec.level}`);
      }
    })();

    await policies.ensure({ metadata: { name: 'seen' }, spec: { ...NAMED_DEMO, level: 'may' } }, 'test');
    await eventually(() => seen.includes('MODIFIED may'));
    replicas.push(await bench.replica());
    await replicas.shift()?.stop();
    await policies.remove('seen');

    await eventually(() => seen.includes('DELETED may'));
    abort.abort();
    await watching;
  });

  it('starts with a rule of an earlier shape, which is told and stands in the way until it is removed', async () => {
    const policies = bench.policies(lifecycle);
    await policies.ensure({ metadata: { name: 'earlier' }, spec: { ...NAMED_DEMO, level: 'may' } }, 'test');
    const isReady = async (): Promise<boolean> =>
      isConditionTrue((await policies.find('earlier'))?.status?.conditions, 'Ready');
    // Nothing is left to do with it.
    await eventually(isReady);
    const spec = JSON.stringify({ stage: 'ClusterSpec', level: 'must', title: 'Earlier', expression: 'true' });
    await bench.query(`UPDATE resources SET object = jsonb_set(object, '{spec}', '${spec}') WHERE name = 'earlier'`);
    for (const replica of replicas.splice(0)) await replica.stop();

    replicas.push(await bench.replica());

    const violations = [{ policy: 'earlier', remedy: expect.stringContaining('kubectl delete policy earlier') }];
    expect(await review()).toMatchObject({ allowed: false, violations });
    const told = { type: 'Ready', status: 'False', reason: 'InvalidSpec' };
    await eventually(async () =>
      expect((await policies.find('earlier'))?.status?.conditions).toContainEqual(expect.objectContaining(told)),
    );
    await policies.remove('earlier');
    expect(await review()).toEqual({ allowed: true, violations: [] });
  });

  it('goes on when a replica stops', async () => {
    replicas.push(await bench.replica());
    const asking = Array.from({ length: 50 }, () => review());
    await replicas.pop()?.stop();
    asking.push(...Array.from({ length: 50 }, () => review()));
    expect((await Promise.all(asking)).every(({ allowed }) => allowed)).toBe(true);
  });
});
