import { FLEET_HEALTHS, type FleetPage, type FleetRow } from '@crate/api';
import { formatTable } from '../progress/table.js';

const HEADER = ['PROJECT', 'NAME', 'HEALTH', 'FOR', 'NODES', 'VERSION', 'REGION', 'CAUSE'];
const NONE = '<none>';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Less of a cause than this says nothing. */
const NARROWEST = 20;

export interface FleetTextOptions {
  readonly now: Date;
  /** Characters of a line; causes are cut to fit. Absent: as long as they are. */
  readonly columns?: number | undefined;
}

/** A page as a table; what needs a person stands where the server has put it. */
export function fleetTable({ rows }: FleetPage, { now, columns }: FleetTextOptions): readonly string[] {
  const lines = formatTable(
    HEADER,
    rows.map((row) => cellsOf(row, now)),
  );
  if (columns === undefined) return lines;
  const causeAt = (lines[0] ?? '').indexOf('CAUSE');
  const width = Math.max(columns, causeAt + NARROWEST);
  return lines.map((line) => (line.length <= width ? line : `${line.slice(0, width - 1)}…`));
}

/** How many there are, and how they stand, in a line. */
export function fleetSummary({ total, matching, offset, rows, rollup }: FleetPage): string {
  const healths = FLEET_HEALTHS.filter((health) => rollup.health[health] > 0).map(
    (health) => `${rollup.health[health]} ${health}`,
  );
  const of = matching === total ? `${total}` : `${matching} of ${total}`;
  const shown = rows.length === matching ? '' : `; shown: ${rows.length === 0 ? 'none' : rangeOf(offset, rows.length)}`;
  return `${of} cluster${total === 1 ? '' : 's'}${healths.length === 0 ? '' : `: ${healths.join(', ')}`}${shown}`;
}

function rangeOf(offset: number, count: number): string {
  return `${offset + 1}-${offset + count}`;
}

function cellsOf(row: FleetRow, now: Date): readonly string[] {
  const { namespace, name, health, cause, nodes, version, region } = row;
  const stood = cause ? durationText(now.getTime() - Date.parse(cause.since)) : NONE;
  return [namespace, name, health, stood, `${nodes.ready}/${nodes.wanted}`, version, region, causeText(row)];
}

function causeText({ cause, progress, health }: FleetRow): string {
  if (!cause) return NONE;
  const isMoving = progress !== undefined && (health === 'Progressing' || health === 'Deleting');
  if (isMoving) return `${progress.step}/${progress.steps} ${progress.message}`;
  const { condition, reason, message, remedy } = cause;
  const said = message === '' || message === reason ? reason : `${reason}: ${message}`;
  const where = condition === reason ? said : `${condition} ${said}`;
  return `${where}${remedy === undefined ? '' : `; what to do: ${remedy}`}`;
}

function durationText(ms: number): string {
  if (ms >= 2 * DAY_MS) return `${Math.floor(ms / DAY_MS)}d`;
  if (ms >= 2 * HOUR_MS) return `${Math.floor(ms / HOUR_MS)}h`;
  return `${Math.max(0, Math.floor(ms / MINUTE_MS))}m`;
}
