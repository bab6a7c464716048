import type { FleetRow } from '@crate/api';
import { Tbody } from '@patternfly/react-table';
import type { VirtualItem } from '@tanstack/react-virtual';
import type { ReactElement } from 'react';
import type { Column } from './columns.js';
import { FleetTableRow } from './FleetTableRow.js';
import type { FleetFeed, FleetSnapshot } from './fleet-feed.js';
import type { Holding } from './use-holding.js';
import { useRowKeys } from './use-row-keys.js';
import { useVirtualRows } from './use-virtual-rows.js';

interface FleetRowsProps {
  readonly fleet: FleetSnapshot;
  readonly feed: FleetFeed;
  readonly columns: readonly Column[];
  /** What the table stands in. */
  readonly table: HTMLElement | null;
  /** Which state of the page this is. */
  readonly query: string;
  readonly holding: Holding;
}

/** The body of the table: rows in view. The only part of the page that is drawn anew while it scrolls. */
export function FleetRows({ fleet, feed, columns, table, query, holding }: FleetRowsProps): ReactElement {
  const { rows, page } = fleet;
  const count = page?.matching ?? 0;
  const keys = useRowKeys(table, count);
  const virtualizer = useVirtualRows({ table, count, active: keys.active, key: query, feed, rows });
  const items = virtualizer.getVirtualItems();
  const { scrollMargin } = virtualizer.options;
  const end = virtualizer.getTotalSize() + scrollMargin;
  return (
    <Tbody
      aria-busy={items.some(({ index }) => !rows.has(index))}
      onKeyDown={(event) => keys.onKeyDown(event, virtualizer)}
      onFocus={(event) => {
        const index = event.target.closest('tr')?.dataset['index'];
        if (index !== undefined) keys.enter(Number(index));
        holding.onFocus();
      }}
      onBlur={(event) => {
        if (event.currentTarget.contains(event.relatedTarget)) return;
        keys.leave();
        holding.onBlur();
      }}
    >
      {parts(items, rows, scrollMargin, end).map((part, at) =>
        'height' in part ? (
          <Space key={`space ${at === 0 ? 'above' : part.before}`} height={part.height} columns={columns.length} />
        ) : (
          <FleetTableRow key={part.index} {...part} columns={columns} measure={virtualizer.measureElement} />
        ),
      )}
    </Tbody>
  );
}

type Part =
  | { readonly index: number; readonly row: FleetRow }
  /** Room of rows that are not drawn; `before` is the row after it. */
  | { readonly height: number; readonly before: number | 'end' };

/** Rows that are loaded, and between them the room of all others. */
function parts(
  items: readonly VirtualItem[],
  rows: FleetSnapshot['rows'],
  start: number,
  end: number,
): readonly Part[] {
  const found: Part[] = [];
  let drawn = start;
  for (const item of items) {
    const { index } = item;
    const row = rows.get(index);
    if (!row) continue;
    if (item.start > drawn) found.push({ height: item.start - drawn, before: index });
    found.push({ index, row });
    drawn = item.end;
  }
  return end > drawn ? [...found, { height: end - drawn, before: 'end' }] : found;
}

function Space({ height, columns }: { readonly height: number; readonly columns: number }): ReactElement {
  return (
    <tr aria-hidden="true" className="crate-fleet-space">
      <td colSpan={columns} style={{ height }} />
    </tr>
  );
}
