import type { FleetGroup, FleetPage, FleetRow } from '@crate/api';
import { HEALTHS } from './fleet-search.js';

/** A cluster, for specs. */
export function aRow(name: string, change: Partial<FleetRow> = {}): FleetRow {
  return {
    uid: `uid-${name}`,
    namespace: 'team-a',
    name,
    health: 'Healthy',
    attention: 0,
    provider: 'aws',
    region: 'us-east-1',
    version: 'v1.31.8',
    engine: 'rke',
    nodes: { ready: 3, wanted: 3 },
    addOns: { ready: 1, wanted: 1 },
    drifted: false,
    createdAt: '2026-01-01T00:00:00Z',
    ...change,
  };
}

/** A page of rows that begins at `offset` of `matching`. */
export function aPage(rows: readonly FleetRow[], change: Partial<FleetPage> = {}): FleetPage {
  const matching = change.matching ?? rows.length;
  const health = Object.fromEntries(
    HEALTHS.map((each) => [each, rows.filter((row) => row.health === each).length]),
  ) as FleetPage['rollup']['health'];
  const groups = (key: (row: FleetRow) => string): FleetGroup[] =>
    [...new Set(rows.map(key))].map((name) => {
      const own = rows.filter((row) => key(row) === name);
      return { key: name, total: own.length, health: { Healthy: own.length } };
    });
  return {
    kind: 'FleetPage',
    revision: '1',
    total: matching,
    matching,
    offset: 0,
    rows,
    rollup: {
      health,
      byProject: groups(({ namespace }) => namespace),
      byRegion: groups(({ region }) => region),
      byVersion: groups(({ version }) => version),
      byProvider: groups(({ provider }) => provider),
    },
    ...change,
  };
}
