import { describe, expect, it } from '@jest/globals';
import { InMemoryEventRecorder } from '@crate/reconcile';
import { NAMED_DEMO } from '@crate/policy-engine';
import { policyApi } from '../testing/policies.js';
import { PolicyReconciler } from './policy.reconciler.js';

const KEY = { namespace: '', name: 'a' };
const { signal } = new AbortController();
const CONTEXT = { signal, remoteSignal: signal, epoch: 1n, traceId: 'trace' };

describe('PolicyReconciler', () => {
  it('says that a rule is ready, and the second pass writes nothing', async () => {
    const { client, store } = policyApi();
    const events = new InMemoryEventRecorder();
    const reconciler = new PolicyReconciler(client, events);
    await client.ensure({ metadata: { name: 'a' }, spec: NAMED_DEMO }, 'test');

    expect(await reconciler.reconcile(KEY, CONTEXT)).toEqual({ kind: 'settled' });
    const before = await store.currentRevision();
    await reconciler.reconcile(KEY, CONTEXT);

    expect((await client.find('a'))?.status?.conditions).toMatchObject([
      { type: 'Ready', status: 'True', observedGeneration: 1 },
      { type: 'Synced', status: 'True' },
    ]);
    expect(await store.currentRevision()).toBe(before);
    expect(events.reasons).toEqual([]);
  });

  it('says what is wrong with a rule that was stored before it became wrong', async () => {
    const { client, store } = policyApi();
    const metadata = { name: 'a', uid: '', resourceVersion: '', generation: 1, creationTimestamp: '' };
    const spec = { ...NAMED_DEMO, validations: [{ expression: 'goneFunction(object)' }] };
    await store.create({ apiVersion: 'policy.crate.dev/v1alpha1', kind: 'Policy', metadata, spec });

    const events = new InMemoryEventRecorder();
    const reconciler = new PolicyReconciler(client, events);
    await reconciler.reconcile(KEY, CONTEXT);

    const ready = (await client.find('a'))?.status?.conditions?.[0];
    expect(ready).toMatchObject({ type: 'Ready', status: 'False', reason: 'InvalidSpec' });
    expect(ready?.message).toContain('goneFunction');

    await client.ensure({ metadata: { name: 'a' }, spec: NAMED_DEMO }, 'test');
    await reconciler.reconcile(KEY, CONTEXT);
    expect(events.reasons).toEqual(['Warning InvalidSpec', 'Normal InForce']);
  });

  it('says of a rule of an earlier shape that it cannot be read, what it stops and how to be rid of it', async () => {
    const { client, store } = policyApi();
    const metadata = { name: 'a', uid: '', resourceVersion: '', generation: 1, creationTimestamp: '' };
    const spec = { stage: 'TerraformPlan', level: 'must', title: 'Earlier', expression: 'true' };
    await store.create({ apiVersion: 'policy.crate.dev/v1alpha1', kind: 'Policy', metadata, spec });

    await new PolicyReconciler(client).reconcile(KEY, CONTEXT);

    const ready = (await client.find('a'))?.status?.conditions?.[0];
    expect(ready).toMatchObject({ type: 'Ready', status: 'False', reason: 'InvalidSpec' });
    expect(ready?.message).toMatch(/Cannot be read.*TerraformPlan.*spec\.match.*kubectl delete policy a$/);
    await client.remove('a');
    expect(await client.find('a')).toBeUndefined();
  });

  it('says of a rule whose source cannot be read that it is as it was, and when it can be again', async () => {
    const { client } = policyApi();
    await client.ensure({ metadata: { name: 'a' }, spec: NAMED_DEMO }, 'test');
    let trouble: string | undefined = 'registry.example.com/policies/bank:1: it has no signature';
    const reconciler = new PolicyReconciler(client, undefined, undefined, { troubleOf: () => trouble });
    const conditions = async () => {
      await reconciler.reconcile(KEY, CONTEXT);
      return (await client.find('a'))?.status?.conditions;
    };
    expect(await conditions()).toMatchObject([
      { type: 'Ready', status: 'True' },
      { type: 'Synced', status: 'False', reason: 'PackUnreadable', message: expect.stringContaining('no signature') },
    ]);
    trouble = undefined;
    expect(await conditions()).toMatchObject([{ type: 'Ready' }, { type: 'Synced', status: 'True' }]);
  });

  it('has nothing to do for a rule that is gone', async () => {
    expect(await new PolicyReconciler(policyApi().client).reconcile(KEY, CONTEXT)).toEqual({ kind: 'settled' });
  });
});
