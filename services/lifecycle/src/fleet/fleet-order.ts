import { FLEET_SORTS, type FleetSort } from '@crate/api';
import type { FleetEntry, FleetLabels } from './fleet-entry.js';
import { LabelRanks } from './labels.js';

/** What entries are sorted by; `-`: from the most to the least. */
export type FleetOrder = FleetSort | `-${FleetSort}`;

export const FLEET_ORDERS: readonly FleetOrder[] = FLEET_SORTS.flatMap((sort) => [sort, `-${sort}` as const]);

export type Compare = (left: FleetEntry, right: FleetEntry) => number;

/** By which entries are put in order; equals by Project and name, so that there is one order only. */
export function compareBy(labels: FleetLabels): (order: FleetOrder) => Compare {
  const projects = new LabelRanks(labels.project, compareText);
  const project: Compare = (left, right) => projects.difference(left.project, right.project);
  const name: Compare = (left, right) => compareText(left.name, right.name);
  const sorts = sortsBy(labels, project, name);
  return (order) => {
    const isFalling = order.startsWith('-');
    const sort = sorts[(isFalling ? order.slice(1) : order) as FleetSort];
    const first: Compare = isFalling ? (left, right) => sort(right, left) : sort;
    return (left, right) => first(left, right) || project(left, right) || name(left, right);
  };
}

function sortsBy(labels: FleetLabels, project: Compare, name: Compare): Readonly<Record<FleetSort, Compare>> {
  const versions = new LabelRanks(labels.version, compareVersions);
  return {
    // The longer it has stood, the more; see attentionOf.
    attention: (left, right) => left.rank - right.rank || (left.rank === 0 ? 0 : right.since - left.since),
    name,
    project,
    age: (left, right) => right.createdAt - left.createdAt,
    version: (left, right) => versions.difference(left.version, right.version),
    nodes: (left, right) => left.nodesWanted - right.nodesWanted,
    cost: (left, right) => left.cost - right.cost,
  };
}

/** By code units: quick, and names are of letters and digits that have the order of the alphabet. */
function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** v1.9 comes before v1.31. */
function compareVersions(left: string, right: string): number {
  const [a, b] = [numbersOf(left), numbersOf(right)];
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return compareText(left, right);
}

function numbersOf(version: string): readonly number[] {
  return (version.match(/\d+/g) ?? []).map(Number);
}
