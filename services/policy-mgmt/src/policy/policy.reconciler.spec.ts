import { describe, expect, it } from '@jest/globals';
import { InMemoryEventRecorder } from '@crate/reconcile';
import { NAMED_DEMO } from '@crate/policy-engine';
import { policyApi } from '../test/policies.js';
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

  it('has nothing to do for a rule that is gone', async () => {
    expect(await new PolicyReconciler(policyApi().client).reconcile(KEY, CONTEXT)).toEqual({ kind: 'settled' });
  });
});
