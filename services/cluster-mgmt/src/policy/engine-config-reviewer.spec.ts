import { describe, expect, it } from '@jest/globals';
import {
  KUBERNETES_CLUSTER,
  type KubernetesCluster,
  type PolicyReviewResponse,
  type PolicyViolation,
} from '@crate/api';
import { unavailable } from '@crate/errors';
import { ServiceCaller } from '@crate/messaging';
import { BARE_SPEC } from '../testing/builders.js';
import { aContext, LocalClients } from '../testing/local-clients.js';
import { ServiceEngineConfigReviewer } from './engine-config-reviewer.js';

class FakeCaller extends ServiceCaller {
  readonly calls: unknown[][] = [];
  answer: () => Promise<PolicyReviewResponse> = () => Promise.resolve({ allowed: true, violations: [] });

  override call<T>(...args: unknown[]): Promise<T> {
    this.calls.push(args);
    return this.answer() as Promise<T>;
  }
}

function violation(policy: string, level: PolicyViolation['level']): PolicyViolation {
  return { policy, level, title: policy, field: `f.${policy}`, message: 'is wrong', remedy: 'Fix it', references: [] };
}

describe('ServiceEngineConfigReviewer', () => {
  const caller = new FakeCaller();
  const reviewer = new ServiceEngineConfigReviewer(caller);
  const review = async (): Promise<void> => {
    const cluster = await new LocalClients().create<KubernetesCluster>(KUBERNETES_CLUSTER, { spec: BARE_SPEC });
    return reviewer.review(cluster, { nodes: [] }, aContext());
  };

  it('asks policy-mgmt about the document, in the name of this service', async () => {
    await review();

    expect(caller.calls.at(-1)).toMatchObject([
      'policy-mgmt',
      'review',
      { stage: 'EngineConfig', document: { nodes: [] }, subject: { namespace: 'team-a', name: 'demo' } },
      { caller: { service: 'cluster-mgmt' }, traceId: 'a'.repeat(32) },
      5000,
    ]);
  });

  it('refuses by every broken must, and by no should', async () => {
    const violations = [violation('one', 'must'), violation('two', 'must'), violation('three', 'should')];
    caller.answer = () => Promise.resolve({ allowed: false, violations });
    const error = await review().catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({
      code: 'Forbidden',
      retry: 'never',
      details: { reason: 'PolicyDenied', field: 'f.one', remedy: 'Fix it' },
    });
    expect(String(error)).toContain('policy two, level must');
    expect(String(error)).not.toContain('three');
  });

  it('lets a should pass', async () => {
    caller.answer = () => Promise.resolve({ allowed: true, violations: [violation('three', 'should')] });

    await expect(review()).resolves.toBeUndefined();
  });

  it('takes no answer for no', async () => {
    caller.answer = () => Promise.reject(unavailable('policy-mgmt does not answer'));

    await expect(review()).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
