import { FLEET_HEALTHS, toTimestamp, type FleetRow } from '@crate/api';
import { attentionOf } from './attention.js';
import type { FleetEntry, FleetLabels } from './fleet-entry.js';

export interface RowContext {
  readonly labels: FleetLabels;
  readonly currency: string;
  readonly nowMs: number;
}

/** An entry as it is answered. Pure. */
export function rowOf(entry: FleetEntry, { labels, currency, nowMs }: RowContext): FleetRow {
  const { cause, phase, progress, cost, deletingSince } = entry;
  return {
    uid: entry.uid,
    namespace: labels.project.wordOf(entry.project),
    name: entry.name,
    health: FLEET_HEALTHS[entry.health] ?? 'Healthy',
    attention: attentionOf(entry.rank, entry.since * 1000, nowMs),
    ...(cause ? { cause } : {}),
    ...(phase === undefined ? {} : { phase }),
    ...(progress ? { progress } : {}),
    provider: labels.provider.wordOf(entry.account.provider),
    region: labels.region.wordOf(entry.region),
    version: labels.version.wordOf(entry.version),
    engine: labels.engine.wordOf(entry.engine),
    ...(entry.class < 0 ? {} : { class: labels.class.wordOf(entry.class) }),
    nodes: { ready: entry.nodesReady, wanted: entry.nodesWanted },
    addOns: { ready: entry.addOnsReady, wanted: entry.addOnsWanted },
    ...(cost < 0 ? {} : { monthlyCost: { amount: cost / 100, currency } }),
    ...(entry.policyFail < 0 ? {} : { policy: { fail: entry.policyFail, warn: entry.policyWarn } }),
    drifted: entry.drifted,
    createdAt: timestampOf(entry.createdAt),
    ...(deletingSince === undefined ? {} : { deletingSince: timestampOf(deletingSince) }),
  };
}

function timestampOf(seconds: number): string {
  return toTimestamp(new Date(seconds * 1000));
}
