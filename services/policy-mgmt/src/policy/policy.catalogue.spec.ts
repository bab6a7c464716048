import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Policy } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import type { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryLogger, InMemoryMetrics } from '@crate/telemetry';
import { NAMED_DEMO } from '@crate/policy-engine';
import { ensureFresh } from '../follow/freshness.js';
import { policyApi } from '../testing/policies.js';
import { PolicyCatalogue } from './policy.catalogue.js';
import { observePolicies } from './policy.metrics.js';

describe('PolicyCatalogue', () => {
  let store: InMemoryResourceStore;
  let client: TypedClient<Policy>;
  let catalogue: PolicyCatalogue;
  let stopping: AbortController;
  let following: Promise<void> | undefined;

  beforeEach(() => {
    ({ store, client } = policyApi());
    catalogue = new PolicyCatalogue(client, new InMemoryLogger());
    stopping = new AbortController();
    following = undefined;
  });

  afterEach(async () => {
    stopping.abort();
    await following;
    await store.close();
  });

  async function follow(): Promise<void> {
    following = catalogue.follow(stopping.signal);
    await catalogue.reaches('0', 2000);
  }

  async function put(name: string, spec: Partial<Policy['spec']> = {}): Promise<void> {
    await client.ensure({ metadata: { name }, spec: { ...NAMED_DEMO, ...spec } }, 'test');
  }

  const names = (): string[] => catalogue.ofStage('ClusterSpec').map(({ policy }) => policy.metadata.name);

  it('answers nothing before all rules were read: none must not pass for no objection', async () => {
    expect(() => catalogue.ofStage('ClusterSpec')).toThrow(expect.objectContaining({ code: 'Unavailable' }));
    await expect(ensureFresh([catalogue], store)).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('has the rules of the stage by name', async () => {
    await put('b');
    await put('a');
    await put('plan', { match: { stages: ['TerraformPlan'] } });
    await follow();
    expect(names()).toEqual(['a', 'b']);
  });

  it('has a rule ready to judge with: the one in force where it is the same, and any other compiled anew', async () => {
    await put('a');
    const policy = (await client.find('a')) as Policy;
    const before = catalogue.compiled(policy);
    expect(before.compilations.get('ClusterSpec')).toMatchObject({ ok: true });

    await follow();
    const [inForce] = catalogue.ofStage('ClusterSpec');
    expect(catalogue.compiled(policy).compilations).toBe(inForce?.compilations);
    const changed = { ...policy, metadata: { ...policy.metadata, generation: 2 } };
    const broken = { ...changed, spec: { ...policy.spec, validations: [{ expression: 'nothing.x', message: 'm' }] } };
    expect(catalogue.compiled(broken as Policy).compilations.get('ClusterSpec')).toMatchObject({ ok: false });
  });

  it('has every change that was stored before it is asked, at once', async () => {
    await follow();
    for (let round = 0; round < 20; round += 1) {
      await put('a', { title: `Title ${round}` });
      await ensureFresh([catalogue], store);
      expect(catalogue.ofStage('ClusterSpec')[0]?.policy.spec.title).toBe(`Title ${round}`);
    }
    await client.remove('a');
    await ensureFresh([catalogue], store);
    expect(names()).toEqual([]);
  });

  it('compiles a rule anew only when its spec changed', async () => {
    await put('a');
    await follow();
    const before = catalogue.ofStage('ClusterSpec')[0];

    const stored = (await client.find('a')) as Policy;
    await client.saveStatus(stored, { observedGeneration: 1 });
    await ensureFresh([catalogue], store);

    const after = catalogue.ofStage('ClusterSpec')[0];
    expect(after?.policy.status?.observedGeneration).toBe(1);
    expect(after?.compilations).toBe(before?.compilations);
  });

  it('follows rules of a shape that is not read any more, which stand in the way, and are told', async () => {
    const metadata = { name: 'earlier', uid: 'u', resourceVersion: '', generation: 1, creationTimestamp: '' };
    const spec = { stage: 'ClusterSpec', level: 'must', title: 'Earlier', expression: 'true' };
    await store.create({ apiVersion: 'policy.crate.dev/v1alpha1', kind: 'Policy', metadata, spec });
    await put('readable');
    const metrics = new InMemoryMetrics();
    observePolicies(metrics, catalogue);
    await follow();

    const labels = { policy: 'earlier', reason: 'unreadable' };
    await metrics.text();
    expect(names()).toEqual(['earlier', 'readable']);
    expect(metrics.value('crate_policy_rules_broken', labels)).toBe(1);
    expect(catalogue.broken()).toHaveLength(1);

    await client.remove('earlier');
    await ensureFresh([catalogue], store);
    await metrics.text();
    expect(metrics.value('crate_policy_rules_broken', labels)).toBe(0);
    expect(catalogue.broken()).toEqual([]);
  });

  it('is not held up by changes of other kinds', async () => {
    await follow();
    const metadata = { name: 'x', uid: '', resourceVersion: '', generation: 0, creationTimestamp: '' };
    for (let index = 0; index < 600; index += 1) {
      await store.create({ apiVersion: 'v1', kind: 'Other', metadata: { ...metadata, name: `x-${index}` } });
    }
    await ensureFresh([catalogue], store);
    expect(catalogue.revision).toBe(await store.currentRevision());
  });
});
