import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PolicyReviewRequest, PolicyReviewResponse, PolicyWaiver, WatchEvent } from '@crate/api';
import { RuleReviewer } from '@crate/policy-engine';
import { TypedClient, type WatchOptions } from '@crate/resource-client';
import { InMemoryLogger, InMemoryMetrics } from '@crate/telemetry';
import { PolicyCatalogue } from '../policy/policy.catalogue.js';
import { CurrentRules } from '../review/current-rules.js';
import { ADA, GRACE, PROJECT, WaiverBench } from '../testing/waiver-bench.js';
import { WaiverCatalogue } from './waiver.catalogue.js';
import { observeWaivers } from './waiver.metrics.js';

const DAY_MS = 86_400_000;

const OTHER: PolicyReviewRequest = {
  stage: 'ClusterSpec',
  document: { metadata: { name: 'other' } },
  subject: { namespace: PROJECT, name: 'other' },
};

/** Hears of everything a little late, as over a network. */
class LateClient extends TypedClient<PolicyWaiver> {
  override async *watch(options: WatchOptions, signal: AbortSignal): AsyncGenerator<WatchEvent<PolicyWaiver>> {
    for await (const event of super.watch(options, signal)) {
      await delay(20);
      yield event;
    }
  }
}

describe('reviews by waivers', () => {
  let bench: WaiverBench;
  let catalogue: WaiverCatalogue;
  let current: CurrentRules;

  beforeEach(async () => {
    bench = new WaiverBench();
    const logger = new InMemoryLogger();
    const { kind } = bench.waivers;
    catalogue = new WaiverCatalogue(new LateClient(bench.api, kind, { caller: ADA, traceId: 'trace' }), logger);
    current = new CurrentRules(new PolicyCatalogue(bench.rules, logger), catalogue, bench.store);
    await bench.rule('rule-a');
    await current.start(60_000);
  });

  afterEach(async () => {
    await current.stop();
    await bench.store.close();
  });

  /** As another replica would answer now. */
  async function review(request = OTHER): Promise<PolicyReviewResponse> {
    await current.ensureFresh();
    const reviewer = new RuleReviewer(new InMemoryLogger(), undefined, () => bench.now.getTime());
    return reviewer.review(request, current.inForce(request.stage, request.subject.namespace));
  }

  it('go by what was decided, from the next one on', async () => {
    for (let round = 0; round < 10; round += 1) {
      await bench.ask(ADA);
      expect((await review()).allowed).toBe(false);
      await bench.decide(GRACE, 'approve');
      expect(await review()).toMatchObject({ allowed: true, violations: [], recorded: [{ waiver: 'w' }] });
      if (round % 2 === 0) await bench.decide(ADA, 'revoke');
      else await bench.waivers.remove('w', PROJECT);
      expect(await review()).toMatchObject({ allowed: false, violations: [{ message: 'The name is other' }] });
      await bench.waivers.remove('w', PROJECT);
    }
  });

  it('go by the clock, whether a reconciler ran or not', async () => {
    await bench.ask(ADA);
    await bench.decide(GRACE, 'approve');
    bench.now = new Date('2026-06-30T23:59:59.999Z');
    expect((await review()).allowed).toBe(true);
    bench.wait(1);
    expect(await review()).toMatchObject({
      allowed: false,
      violations: [{ message: 'The name is other (PolicyWaiver w expired on 2026-07-01T00:00:00Z)' }],
    });
  });

  it('go by an earlier end at once', async () => {
    await bench.ask(ADA);
    await bench.decide(GRACE, 'approve');
    await bench.as(ADA).merge('w', PROJECT, { spec: { expiresAt: '2026-06-02T00:00:00Z' } });
    bench.wait(DAY_MS);
    expect((await review()).allowed).toBe(false);
  });

  it('do not go by a waiver that is being deleted', async () => {
    await bench.ask(ADA, {}, { finalizers: ['example.com/slow'] });
    await bench.decide(GRACE, 'approve');
    await bench.waivers.remove('w', PROJECT);
    expect((await bench.stored()).metadata.deletionTimestamp).toBeDefined();
    expect((await review()).allowed).toBe(false);
  });

  it('go by the waivers of their own Project alone', async () => {
    await bench.ask(ADA);
    await bench.decide(GRACE, 'approve');
    const elsewhere = { ...OTHER, subject: { namespace: 'team-b', name: 'other', cluster: 'other' } };
    expect((await review()).allowed).toBe(true);
    expect((await review(elsewhere)).allowed).toBe(false);
  });

  it('do not go by an administrator of a Project where a rule has come to take more', async () => {
    await bench.ask(ADA, { policies: ['rule-*'] });
    await bench.decide(GRACE, 'approve');
    await bench.rule('rule-new', { waivableBy: 'PlatformAdmin' });
    expect(await review()).toMatchObject({ allowed: false, violations: [{ policy: 'rule-new' }] });
    await bench.rule('rule-a', { waivableBy: 'Nobody' });
    expect((await review()).violations).toMatchObject([{ policy: 'rule-a' }, { policy: 'rule-new' }]);
  });

  it('are refused while waivers are not loaded', async () => {
    const logger = new InMemoryLogger();
    const cold = new CurrentRules(
      new PolicyCatalogue(bench.rules, logger),
      new WaiverCatalogue(bench.waivers, logger),
      bench.store,
    );
    await expect(cold.ensureFresh()).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('are counted by state', async () => {
    const metrics = new InMemoryMetrics();
    observeWaivers(metrics, { catalogue, noticesMs: bench.noticesMs, now: () => bench.now });
    const counts = async (): Promise<readonly (number | undefined)[]> => {
      await current.ensureFresh();
      await metrics.text();
      const states = ['waiting', 'in_force', 'expiring', 'expired', 'revoked'];
      return states.map((state) => metrics.value('crate_policy_waivers', { state }));
    };
    expect(await counts()).toEqual([0, 0, 0, 0, 0]);
    await bench.ask(ADA);
    await bench.ask(ADA, {}, { namespace: 'team-b' });
    expect(await counts()).toEqual([2, 0, 0, 0, 0]);
    await bench.decide(GRACE, 'approve');
    expect(await counts()).toEqual([1, 1, 0, 0, 0]);
    bench.wait(23 * DAY_MS);
    expect(await counts()).toEqual([1, 0, 1, 0, 0]);
    bench.wait(7 * DAY_MS);
    expect(await counts()).toEqual([0, 0, 0, 2, 0]);
    await bench.decide(ADA, 'revoke');
    expect(await counts()).toEqual([0, 0, 0, 1, 1]);
  });
});
