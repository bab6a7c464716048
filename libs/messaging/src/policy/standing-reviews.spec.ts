import { unavailable } from '@crate/errors';
import { InMemoryLogger } from '@crate/telemetry';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PolicyReviewer } from './policy-reviewer.js';
import { ScriptedPolicyReviewer } from './scripted-policy-reviewer.js';
import { StandingReviews, type StandingDocument } from './standing-reviews.js';

const EVERY_MS = 1_000;
const DENIED = { allowed: false, violations: [] };
const ALLOWED = { allowed: true, violations: [] };

let policies: ScriptedPolicyReviewer;
let nowMs: number;
let standing: StandingReviews;
beforeEach(() => {
  policies = new ScriptedPolicyReviewer();
  nowMs = 0;
  standing = new StandingReviews(policies, { everyMs: EVERY_MS, logger: new InMemoryLogger(), now: () => nowMs });
});

function document(version = '1'): StandingDocument {
  const subject = { namespace: 'team-a', name: 'demo' };
  return { key: 'a', version, requests: () => [{ stage: 'EngineConfig', document: { version }, subject }] };
}

async function judged(given = document()): Promise<string | undefined> {
  const fact = await standing.judge(given, { traceId: 'trace-1' });
  return fact && `${fact.status} ${fact.reason}`;
}

describe('StandingReviews', () => {
  it('judges what it has never judged, and again when the interval is over', async () => {
    expect(await judged()).toBe('True Compliant');
    nowMs += EVERY_MS - 1;
    expect(await judged()).toBeUndefined();
    nowMs += 1;
    policies.answer = DENIED;
    expect(await judged()).toBe('False PolicyDenied');
    expect(policies.calls).toBe(2);
  });

  it('does not keep a verdict for longer because the clock was put back', async () => {
    const everyMs = 10;
    const clock = jest.spyOn(Date, 'now');
    standing = new StandingReviews(policies, { everyMs, logger: new InMemoryLogger() });
    await judged();
    clock.mockReturnValue(0);
    await new Promise((resolve) => setTimeout(resolve, 2 * everyMs));

    expect(await judged()).toBe('True Compliant');
    clock.mockRestore();
  });

  it('judges another version at once', async () => {
    await judged();
    expect(await judged(document('2'))).toBe('True Compliant');
  });

  it('judges what breaks a rule each time, so that it is known soon when it does not any more', async () => {
    policies.answer = DENIED;
    await judged();
    expect(await judged()).toBe('False PolicyDenied');
    policies.answer = ALLOWED;
    expect(await judged()).toBe('True Compliant');
  });

  it('judges what a waiver alone lets through each time, so that it is known soon when the waiver ends', async () => {
    const rule = { policy: 'a', level: 'must', severity: 'high', title: 'A', references: [] } as const;
    const broken = { ...rule, effect: 'record', field: 'spec', message: 'Is wrong', remedy: 'Mend it' } as const;
    policies.answer = { ...ALLOWED, recorded: [{ ...broken, waiver: 'night' }] };
    expect(await judged()).toBe('True Waived');
    policies.answer = DENIED;
    expect(await judged()).toBe('False PolicyDenied');
    policies.answer = { ...ALLOWED, recorded: [broken] };
    expect(await judged()).toBe('True Compliant');
    expect(await judged()).toBeUndefined();
  });

  it('does not ask about what was just judged otherwise', async () => {
    standing.note('a', '1', ALLOWED);
    expect(await judged()).toBeUndefined();
    standing.note('a', '1', { ...ALLOWED, unanswered: true });
    expect(policies.calls).toBe(0);
  });

  it.each([
    { name: 'fails', answer: unavailable('policy-mgmt is away') },
    { name: 'is none', answer: { ...ALLOWED, unanswered: true } as const },
  ])('lets the last verdict stand for a while when the answer $name, and asks each time', async ({ answer }) => {
    await judged();
    policies.answer = answer;
    nowMs += 2 * EVERY_MS;
    expect(await judged()).toBeUndefined();
    nowMs += 1;
    expect(await judged()).toBe('Unknown PolicyUnavailable');
    expect(policies.calls).toBe(3);
    policies.answer = ALLOWED;
    expect(await judged()).toBe('True Compliant');
  });

  it('leaves the pass the rest of its time when the answer takes too long', async () => {
    const soon = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort(unavailable('Took too long')));
    jest
      .spyOn(policies as PolicyReviewer, 'reviewAll')
      .mockImplementation(async (_, { remoteSignal }) => (remoteSignal?.throwIfAborted(), [ALLOWED]));
    const pass = new AbortController();
    expect(await standing.judge(document(), { traceId: 'trace-1', remoteSignal: pass.signal })).toBeUndefined();
    soon.mockRestore();
  });

  it('ends with the pass that asks', async () => {
    policies.answer = unavailable('policy-mgmt is away');
    const context = { traceId: 'trace-1', remoteSignal: AbortSignal.abort() };
    await expect(standing.judge(document(), context)).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
