import { POLICY, POLICY_WAIVER } from '@crate/api';
import type { ServedKind } from '@crate/resource-server';
import type { Foundation, RegisteredReconciler } from '@crate/service-host';
import type { PolicyMgmtConfig } from '../config.js';
import { waiverAdmission } from './waiver.admission.js';
import { WaiverCatalogue } from './waiver.catalogue.js';
import { WaiverDecisions } from './waiver.decisions.js';
import { observeWaivers } from './waiver.metrics.js';
import { WaiverReconciler } from './waiver.reconciler.js';
import { waiverStatus } from './waiver.status.js';

/** Everything that waivers are made of. */
export interface WaiverParts {
  readonly kind: ServedKind;
  readonly reconciler: RegisteredReconciler;
  /** What reviews go by. */
  readonly catalogue: WaiverCatalogue;
}

/** Wires waivers into the service. */
export function waiverParts(
  { clients, events, logger, metrics }: Pick<Foundation, 'clients' | 'events' | 'logger' | 'metrics'>,
  { longestMs, noticesMs }: PolicyMgmtConfig['waivers'],
): WaiverParts {
  const now = (): Date => new Date();
  const [waivers, policies] = [clients.for(POLICY_WAIVER), clients.for(POLICY)];
  const catalogue = new WaiverCatalogue(waivers, logger);
  observeWaivers(metrics, { catalogue, noticesMs, now });
  const statusOf: ConstructorParameters<typeof WaiverDecisions>[0]['statusOf'] = (waiver, rules) =>
    waiverStatus(waiver, { policies: rules, noticesMs, now: now() });
  const decisions = new WaiverDecisions({ waivers, policies, now, statusOf });
  const reconciler = new WaiverReconciler({ waivers, policies, noticesMs, events: events.recorder }, now);
  return {
    kind: servedWaivers(decisions, waiverAdmission({ policies, longestMs, now })),
    reconciler: { reconciler, kind: POLICY_WAIVER },
    catalogue,
  };
}

/** The kind as it is served. */
export function servedWaivers(decisions: WaiverDecisions, admission: ReturnType<typeof waiverAdmission>): ServedKind {
  return {
    definition: POLICY_WAIVER,
    admit: [admission],
    subresources: {
      approve: { write: (...call) => decisions.approve(...call) },
      revoke: { write: (...call) => decisions.revoke(...call) },
    },
  };
}
