import type { PolicyReviewRequest, PolicyStage } from '@crate/api';
import { badRequest, forbidden, invariant, timeout, toStatus, unavailable } from '@crate/errors';
import { InMemoryLogger } from '@crate/telemetry';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { GuardedPolicyReviewer, type WhenUnavailable } from './guarded-policy-reviewer.js';
import { isPolicyUnavailable } from './policy-unavailable.js';
import { ScriptedPolicyReviewer } from './scripted-policy-reviewer.js';

const CONTEXT = { traceId: 'trace-1' };

let inner: ScriptedPolicyReviewer;
let logger: InMemoryLogger;
beforeEach(() => {
  inner = new ScriptedPolicyReviewer();
  logger = new InMemoryLogger();
});

function asking(stage: PolicyStage): PolicyReviewRequest {
  return { stage, document: {}, subject: { namespace: 'team-a', name: 'demo' } };
}

function guarded(whenUnavailable: Partial<Record<PolicyStage, WhenUnavailable>>): GuardedPolicyReviewer {
  return new GuardedPolicyReviewer(inner, { whenUnavailable, logger });
}

describe('GuardedPolicyReviewer', () => {
  it('passes verdicts on', async () => {
    inner.answer = { allowed: false, violations: [] };
    expect(await guarded({}).review(asking('ClusterSpec'), CONTEXT)).toEqual({ allowed: false, violations: [] });
    expect(await guarded({}).reviewAll([asking('Manifest')], CONTEXT)).toEqual([{ allowed: false, violations: [] }]);
    expect(inner.requests.map(({ stage }) => stage)).toEqual(['ClusterSpec', 'Manifest']);
  });

  it.each([
    { name: 'nobody answers', error: unavailable('policy-mgmt is not available, try again') },
    { name: 'the answer takes too long', error: timeout('policy-mgmt did not answer in time') },
  ])('denies while $name, with what to do and when to try again', async ({ error }) => {
    inner.answer = error;
    const asked = guarded({ TerraformPlan: 'allow' }).review(asking('ClusterSpec'), CONTEXT);
    const thrown: unknown = await asked.catch((reason: unknown) => reason);

    expect(isPolicyUnavailable(thrown)).toBe(true);
    expect(toStatus(thrown)).toMatchObject({
      code: 503,
      reason: 'ServiceUnavailable',
      message: `The cluster cannot be judged by policies, so nothing is done: ${error.message}`,
      details: { retryAfterSeconds: 2, causes: [{ reason: 'PolicyUnavailable' }] },
    });
  });

  it('allows without an answer where the stage is set to, says so in the verdict, and logs it', async () => {
    inner.answer = unavailable('policy-mgmt is away');
    const reviewer = guarded({ Manifest: 'allow' });

    const unanswered = { allowed: true, violations: [], unanswered: true };
    expect(await reviewer.review(asking('Manifest'), CONTEXT)).toEqual(unanswered);
    const two = [asking('Manifest'), asking('Manifest')];
    expect(await reviewer.reviewAll(two, CONTEXT)).toEqual([unanswered, unanswered]);
    expect(logger.at('warn')).toMatchObject([
      { fields: { stage: 'Manifest', namespace: 'team-a', name: 'demo' } },
      { fields: { stage: 'Manifest' } },
    ]);
  });

  it('denies many as soon as the stage of one says so', async () => {
    inner.answer = unavailable('policy-mgmt is away');
    const asked = guarded({ Manifest: 'allow' }).reviewAll([asking('Manifest'), asking('ClusterSpec')], CONTEXT);
    await expect(asked).rejects.toMatchObject({ details: { reason: 'PolicyUnavailable' } });
  });

  it.each([badRequest('Malformed'), forbidden('Not allowed to call'), invariant('A bug')])(
    'takes no other error for a lack of an answer: $code',
    async (error) => {
      inner.answer = error;
      await expect(guarded({ ClusterSpec: 'allow' }).review(asking('ClusterSpec'), CONTEXT)).rejects.toBe(error);
    },
  );

  it('allows nothing because the one who asks is being stopped', async () => {
    const error = timeout('policy-mgmt did not answer in time');
    inner.answer = error;
    const context = { ...CONTEXT, remoteSignal: AbortSignal.abort() };
    await expect(guarded({ ClusterSpec: 'allow' }).review(asking('ClusterSpec'), context)).rejects.toBe(error);
  });

  it('holds nothing up when nobody can be told what is there still', async () => {
    inner.renew = () => Promise.reject(unavailable('policy-mgmt is not available, try again'));
    expect(await guarded({}).renew([], CONTEXT)).toBe(false);
    expect(logger.lines.at(-1)).toMatchObject({ level: 'warn' });
  });

  it('holds no deletion up when nobody can be told what is gone', async () => {
    inner.forget = () => Promise.reject(unavailable('policy-mgmt is not available, try again'));
    expect(await guarded({}).forget({ namespace: 'team-a', cluster: 'demo' }, CONTEXT)).toBe(false);
    expect(logger.lines.at(-1)).toMatchObject({ level: 'warn', fields: { namespace: 'team-a', cluster: 'demo' } });
  });
});
