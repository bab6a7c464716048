import type { FleetPage, FleetRow } from '@crate/api';
import type { FleetIndex } from './fleet-index.js';
import { matcherOf } from './fleet-matcher.js';
import type { FleetQuery } from './fleet-query.js';
import { rowOf } from './fleet-row.js';
import { FleetTally } from './fleet-tally.js';
import type { Visible } from './fleet-access.js';

/** What somebody sees of the fleet: one walk over all entries, in the order that is asked for. */
export function fleetPage(index: FleetIndex, query: FleetQuery, { projects }: Visible): FleetPage {
  const { labels, prices, revision } = index;
  const { offset, limit } = query;
  const matches = matcherOf(query, labels);
  const tally = new FleetTally(labels);
  const context = { labels, currency: prices.currency, nowMs: index.now() };
  const rows: FleetRow[] = [];
  let total = 0;
  let matching = 0;
  for (const entry of index.in(query.order)) {
    if (projects && projects[entry.project] !== 1) continue;
    total += 1;
    if (!matches(entry)) continue;
    if (matching >= offset && rows.length < limit) rows.push(rowOf(entry, context));
    matching += 1;
    tally.add(entry);
  }
  return { kind: 'FleetPage', revision, total, matching, offset, rows, rollup: tally.rollup() };
}
