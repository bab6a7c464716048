import type { PolicyReviewRequest } from '@crate/api';
import { unavailable } from '@crate/errors';
import { describe, expect, it } from '@jest/globals';
import { ServiceCaller } from '../bus.js';
import { NatsPolicyReviewer } from './nats-policy-reviewer.js';

const VERDICT = { allowed: true, violations: [] };
const request: PolicyReviewRequest = {
  stage: 'TerraformPlan',
  document: {},
  subject: { namespace: 'team-a', name: 'demo' },
};

class RecordingCaller extends ServiceCaller {
  readonly calls: unknown[][] = [];
  answer: () => Promise<unknown> = () => Promise.resolve(VERDICT);

  async call<T>(...call: unknown[]): Promise<T> {
    this.calls.push(call);
    return (await this.answer()) as T;
  }
}

describe('NatsPolicyReviewer', () => {
  const caller = new RecordingCaller();
  const reviewer = new NatsPolicyReviewer('cloud-mgmt', caller, 15_000);

  it('asks policy-mgmt in the name of the service, under the trace and deadline of the pass', async () => {
    const { signal: remoteSignal } = new AbortController();

    expect(await reviewer.review(request, { traceId: 'trace-1', remoteSignal })).toEqual(VERDICT);
    expect(caller.calls.at(-1)).toEqual([
      'policy-mgmt',
      'review',
      request,
      {
        caller: { user: 'system:cloud-mgmt', groups: [], service: 'cloud-mgmt' },
        traceId: 'trace-1',
        signal: remoteSignal,
      },
      15_000,
    ]);
  });

  it('asks on behalf of the person whose request it is', async () => {
    const person = { user: 'ada', groups: ['team-a'] };
    await reviewer.review(request, { traceId: 'trace-1', caller: person });

    expect(caller.calls.at(-1)?.[3]).toEqual({ caller: person, traceId: 'trace-1' });
  });

  it('takes no answer for no', async () => {
    caller.answer = () => Promise.reject(unavailable('policy-mgmt does not answer'));

    await expect(reviewer.review(request, { traceId: 'trace-1' })).rejects.toMatchObject({ code: 'Unavailable' });
  });

  describe('asked about many documents', () => {
    const many = (count: number): PolicyReviewRequest[] =>
      Array.from({ length: count }, (_, index) => ({ ...request, document: { index } }));
    const verdictsOf = (requests: readonly PolicyReviewRequest[]): unknown => ({
      responses: requests.map(({ document }) => ({ ...VERDICT, violations: [document] })),
    });

    it('asks once, and gives the verdicts in the order of the documents', async () => {
      caller.answer = () => Promise.resolve(verdictsOf(many(3)));
      const before = caller.calls.length;

      const verdicts = await reviewer.reviewAll(many(3), { traceId: 'trace-1' });
      expect(verdicts.map(({ violations }) => violations)).toEqual([[{ index: 0 }], [{ index: 1 }], [{ index: 2 }]]);
      expect(caller.calls.slice(before).map((call) => call.slice(0, 3))).toEqual([
        ['policy-mgmt', 'reviewAll', { requests: many(3) }],
      ]);
    });

    it('says of each part that it is one, where they do not fit into one call', async () => {
      const before = caller.calls.length;
      caller.answer = () => {
        const [, , body] = caller.calls.at(-1) as [unknown, unknown, { readonly requests: PolicyReviewRequest[] }];
        return Promise.resolve(verdictsOf(body.requests));
      };
      expect(await reviewer.reviewAll(many(150), { traceId: 'trace-1' })).toHaveLength(150);
      expect(caller.calls.slice(before).map(([, , body]) => body)).toMatchObject([
        { partial: true },
        { partial: true },
      ]);
    });

    it('asks nobody about none', async () => {
      const before = caller.calls.length;
      expect(await reviewer.reviewAll([], { traceId: 'trace-1' })).toEqual([]);
      expect(caller.calls).toHaveLength(before);
    });

    it('takes fewer verdicts than documents for none', async () => {
      caller.answer = () => Promise.resolve(verdictsOf(many(2)));
      await expect(reviewer.reviewAll(many(3), { traceId: 'trace-1' })).rejects.toMatchObject({ code: 'Unavailable' });
    });
  });

  it('says what is there still, of many documents in a few calls', async () => {
    const before = caller.calls.length;
    caller.answer = () => Promise.resolve({});
    const of = { namespace: 'team-a', cluster: 'demo', stage: 'Manifest', kind: 'ConfigMap' } as const;
    const documents = Array.from({ length: 1_001 }, (_, index) => ({ ...of, name: `apps/${index}` }));
    await reviewer.renew(documents, { traceId: 'trace-1' });
    expect(caller.calls.slice(before).map(([service, method, body]) => [service, method, body])).toEqual([
      ['policy-mgmt', 'renew', { documents: documents.slice(0, 1_000) }],
      ['policy-mgmt', 'renew', { documents: documents.slice(1_000) }],
    ]);
  });

  it('says what has no owner any more, and waits for that only shortly', async () => {
    caller.answer = () => Promise.resolve({ clusters: 1 });
    await reviewer.forget({ namespace: 'team-a', cluster: 'demo' }, { traceId: 'trace-1' });

    const [service, method, body, , timeoutMs] = caller.calls.at(-1) ?? [];
    expect([service, method, body]).toEqual(['policy-mgmt', 'forget', { namespace: 'team-a', cluster: 'demo' }]);
    expect(timeoutMs).toBeLessThan(5_000);
  });
});
