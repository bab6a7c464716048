import { COMPONENTS, findCondition, type Component, type ComponentName } from '@crate/api';
import { formatDuration } from '../objects/duration.js';
import type { ServerTable, TableRow } from '../objects/server-table.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Those of priority 1 are of interest to who asks for more. */
export const COMPONENT_COLUMNS: ServerTable['columnDefinitions'] = [
  { name: 'Name', priority: 0 },
  { name: 'Runs', priority: 0 },
  { name: 'Wanted', priority: 0 },
  { name: 'Available', priority: 0 },
  { name: 'Phase', priority: 0 },
  { name: 'Ready', priority: 0 },
  { name: 'Age', priority: 0 },
  { name: 'Channel', priority: 1 },
  { name: 'Window', priority: 1 },
  { name: 'Why', priority: 1 },
];

/** In the order in which they are upgraded. */
export function inOrder(components: readonly Component[]): readonly Component[] {
  return components.toSorted((left, right) => placeOf(left) - placeOf(right));
}

/** A component as a row of a table. Pure. */
export function componentRow(component: Component, now: Date): TableRow {
  const { metadata, spec, status } = component;
  const { replicas = [], availableVersions = [], installedVersion } = status ?? {};
  const sum = (field: 'ready' | 'total'): number => replicas.reduce((total, each) => total + each[field], 0);
  const cells = [
    metadata.name,
    replicas.length === 0 ? installedVersion : replicas.map(({ version }) => version).join(','),
    spec.version,
    availableVersions[0]?.version,
    phaseOf(component),
    `${sum('ready')}/${sum('total')}`,
    ageText(now.getTime() - Date.parse(metadata.creationTimestamp ?? '')),
    spec.channel,
    windowText(component),
    whyOf(component),
  ];
  return { cells, object: { metadata } };
}

/** In a word, where it is: a step of its upgrade, why none begins, or that it is up to date. Pure. */
export function phaseOf({ status }: Component): string {
  return status?.rollout?.step ?? findCondition(status?.conditions, 'UpToDate')?.reason ?? 'Unknown';
}

/** Why it is there; empty when there is nothing to say. Pure. */
export function whyOf({ status }: Component): string {
  const { rollout, progress, conditions } = status ?? {};
  if (rollout && rollout.step !== 'RollingBack' && progress) return progress.message;
  const said = [findCondition(conditions, 'UpToDate'), findCondition(conditions, 'Ready')];
  return said.find((condition) => condition && condition.status !== 'True' && condition.message !== '')?.message ?? '';
}

function placeOf({ metadata }: Component): number {
  return COMPONENTS.indexOf(metadata.name as ComponentName);
}

function windowText({ spec: { maintenanceWindow: window } }: Component): string | undefined {
  if (!window) return undefined;
  const { days = [], start, durationMinutes } = window;
  return `${[...days, start].join(' ')} UTC, ${formatDuration(durationMinutes * MINUTE_MS)}`;
}

/** As tables of Kubernetes have it, in its largest unit. */
function ageText(ms: number): string | undefined {
  if (!Number.isFinite(ms)) return undefined;
  if (ms >= DAY_MS) return `${Math.floor(ms / DAY_MS)}d`;
  if (ms >= HOUR_MS) return `${Math.floor(ms / HOUR_MS)}h`;
  return ms >= MINUTE_MS ? `${Math.floor(ms / MINUTE_MS)}m` : `${Math.max(0, Math.floor(ms / 1_000))}s`;
}
