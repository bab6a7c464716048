import { FLEET_HEALTHS, type FleetGroup, type FleetHealth, type FleetRollup } from '@crate/api';
import type { FleetEntry, FleetLabels } from './fleet-entry.js';
import type { Labels } from './labels.js';

const HEALTHS = FLEET_HEALTHS.length;

/** Counts entries, as a whole and by what they have in common. */
export class FleetTally {
  private readonly health = new Int32Array(HEALTHS);
  private readonly projects: Int32Array;
  private readonly regions: Int32Array;
  private readonly versions: Int32Array;
  private readonly providers: Int32Array;

  constructor(private readonly labels: FleetLabels) {
    const counts = ({ size }: Labels): Int32Array => new Int32Array(size * HEALTHS);
    this.projects = counts(labels.project);
    this.regions = counts(labels.region);
    this.versions = counts(labels.version);
    this.providers = counts(labels.provider);
  }

  add({ health, project, region, version, account }: FleetEntry): void {
    increase(this.health, health);
    increase(this.projects, project * HEALTHS + health);
    increase(this.regions, region * HEALTHS + health);
    increase(this.versions, version * HEALTHS + health);
    increase(this.providers, account.provider * HEALTHS + health);
  }

  rollup(): FleetRollup {
    const { labels, health, projects, regions, versions, providers } = this;
    return {
      health: Object.fromEntries(FLEET_HEALTHS.map((name, index) => [name, health[index]])) as FleetRollup['health'],
      byProject: groupsOf(projects, labels.project),
      byRegion: groupsOf(regions, labels.region),
      byVersion: groupsOf(versions, labels.version),
      byProvider: groupsOf(providers, labels.provider),
    };
  }
}

function increase(counts: Int32Array, index: number): void {
  counts[index] = (counts[index] ?? 0) + 1;
}

/** Groups with anything in them; the largest first. */
function groupsOf(counts: Int32Array, labels: Labels): readonly FleetGroup[] {
  const groups: FleetGroup[] = [];
  for (const number of labels.numbers) {
    const group = counts.subarray(number * HEALTHS, (number + 1) * HEALTHS);
    const total = group.reduce((sum, count) => sum + count, 0);
    if (total > 0) groups.push({ key: labels.wordOf(number), total, health: healthsOf(group) });
  }
  return groups.sort((left, right) => right.total - left.total || (left.key < right.key ? -1 : 1));
}

function healthsOf(counts: Int32Array): Partial<Record<FleetHealth, number>> {
  const found: Partial<Record<FleetHealth, number>> = {};
  for (const [index, name] of FLEET_HEALTHS.entries()) {
    const count = counts[index] ?? 0;
    if (count > 0) found[name] = count;
  }
  return found;
}
