import type { Metrics } from '@crate/telemetry';
import type { WaiverCatalogue } from './waiver.catalogue.js';
import { stateOf, type WaiverFacts } from './waiver.facts.js';

/** `expiring` are those in force that notice was given of. */
const STATES = ['waiting', 'in_force', 'expiring', 'expired', 'revoked'] as const;
type CountedState = (typeof STATES)[number];

export interface WaiverMetricsOptions {
  readonly catalogue: Pick<WaiverCatalogue, 'facts'>;
  readonly noticesMs: readonly number[];
  readonly now: () => Date;
}

/** Tells how many waivers there are in which state. Every replica tells the same. */
export function observeWaivers(metrics: Metrics, { catalogue, noticesMs, now }: WaiverMetricsOptions): void {
  metrics.gauge({
    name: 'crate_policy_waivers',
    help: 'Waivers by state: waiting, in_force, expiring, expired, revoked; expiring ones are in force, and notice was given.',
    labels: ['state'],
    collect: (gauge) => {
      const states = catalogue.facts().map((facts) => countedAs(facts, Math.max(0, ...noticesMs), now().getTime()));
      for (const state of STATES) gauge.set(states.filter((each) => each === state).length, { state });
    },
  });
}

function countedAs(facts: WaiverFacts, noticeMs: number, nowMs: number): CountedState {
  switch (stateOf(facts, nowMs)) {
    case 'WaitingForApproval':
      return 'waiting';
    case 'InForce':
      return facts.expiresAtMs - nowMs <= noticeMs ? 'expiring' : 'in_force';
    case 'Expired':
      return 'expired';
    case 'Revoked':
      return 'revoked';
  }
}
