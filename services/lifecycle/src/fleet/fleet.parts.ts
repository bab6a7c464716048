import { CLOUD_ACCOUNT } from '@crate/api';
import type { Foundation } from '@crate/service-host';
import { FleetFeed } from './fleet-feed.js';
import { FleetIndex } from './fleet-index.js';
import { observeFleet } from './fleet-metrics.js';

/** The index of all clusters, and what feeds it. */
export interface FleetParts {
  readonly index: FleetIndex;
  readonly feed: FleetFeed;
}

/** Wires the fleet into the service; without clouds there are no accounts to follow. */
export function fleetParts(
  { clients, store, logger, metrics }: Pick<Foundation, 'clients' | 'store' | 'logger' | 'metrics'>,
  hasClouds: boolean,
): FleetParts {
  const index = new FleetIndex();
  observeFleet(metrics, index);
  const accounts = hasClouds ? { accounts: clients.for(CLOUD_ACCOUNT) } : {};
  return { index, feed: new FleetFeed({ index, store, ...accounts, logger }) };
}
