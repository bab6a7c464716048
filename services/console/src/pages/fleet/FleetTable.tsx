import type { FleetSort } from '@crate/api';
import { Alert, Button } from '@patternfly/react-core';
import { Table, Th, Thead, Tr } from '@patternfly/react-table';
import { memo, useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PrintedInView } from '../../components/PrintedInView.js';
import { chosenColumns, type Column } from './columns.js';
import { FleetRows } from './FleetRows.js';
import type { FleetFeed, FleetSnapshot } from './fleet-feed.js';
import { fleetQuery, parseFleetSearch, USUAL_SORT, wordsOf, type FleetSearch } from './fleet-search.js';
import { useHolding } from './use-holding.js';

interface FleetTableProps {
  readonly fleet: FleetSnapshot;
  readonly feed: FleetFeed;
  readonly search: FleetSearch;
  readonly onSearch: (next: FleetSearch) => void;
}

/** Every cluster that matches: only rows in view are drawn, only rows around them are loaded, and these are live. */
export function FleetTable({ fleet, feed, search, onSearch }: FleetTableProps): ReactElement {
  const { t } = useTranslation('fleet');
  const [table, setTable] = useState<HTMLElement | null>(null);
  const names = search.columns ?? '';
  // The same list for as long as it has the same columns: rows are drawn anew when theirs is another.
  const columns = useMemo(() => chosenColumns(wordsOf({ columns: names }, 'columns')), [names]);
  const count = fleet.page?.matching ?? 0;
  const holding = useHolding(feed);
  return (
    <div
      ref={setTable}
      onPointerMove={holding.onPointerMove}
      onPointerLeave={holding.onPointerLeave}
      aria-busy={fleet.isStale}
    >
      <PrintedInView />
      <Waiting count={fleet.waiting} onShow={() => feed.settle()} />
      <Table
        aria-label={t('table')}
        aria-rowcount={count + 1}
        variant="compact"
        gridBreakPoint="grid-lg"
        isStickyHeader
        className="crate-fleet"
      >
        <Head columns={columns} search={search} onSearch={onSearch} />
        <FleetRows
          fleet={fleet}
          feed={feed}
          columns={columns}
          table={table}
          query={fleetQuery(search)}
          holding={holding}
        />
      </Table>
    </div>
  );
}

interface HeadProps {
  readonly columns: readonly Column[];
  readonly search: FleetSearch;
  readonly onSearch: (next: FleetSearch) => void;
}

/** Stays as it is while rows scroll by. */
const Head = memo(function Head({ columns, search, onSearch }: HeadProps): ReactElement {
  return (
    <Thead>
      <Tr aria-rowindex={1}>
        {columns.map((column) => (
          <Heading key={column.id} column={column} columns={columns} search={search} onSearch={onSearch} />
        ))}
      </Tr>
    </Thead>
  );
});

interface HeadingProps extends HeadProps {
  readonly column: Column;
}

function Heading({ column, columns, search, onSearch }: HeadingProps): ReactElement {
  const { t } = useTranslation('fleet');
  const whole = columns.reduce((sum, { share }) => sum + share, 0);
  const style = { width: `${(100 * column.share) / whole}%` };
  const sorted = search.sort ?? USUAL_SORT;
  const { sort } = column;
  if (!sort) {
    return (
      <Th style={style} modifier="nowrap">
        {t(`column.${column.id}`)}
      </Th>
    );
  }
  const direction = sorted.startsWith('-') ? 'desc' : 'asc';
  const isSorted = sorted.replace('-', '') === sort;
  return (
    <Th
      style={style}
      modifier="nowrap"
      sort={{
        columnIndex: 0,
        sortBy: { ...(isSorted ? { index: 0, direction } : {}), defaultDirection: column.first ?? 'asc' },
        onSort: (_event, _index, to) => onSearch(parseFleetSearch({ ...search, sort: sortWord(sort, to) })),
      }}
    >
      {t(`column.${column.id}`)}
    </Th>
  );
}

function sortWord(sort: FleetSort, direction: 'asc' | 'desc'): string | undefined {
  const word = direction === 'desc' ? `-${sort}` : sort;
  return word === USUAL_SORT ? undefined : word;
}

/** Says that rows stay where they are for the one who aims at them. */
function Waiting({ count, onShow }: { readonly count: number; readonly onShow: () => void }): ReactElement {
  const { t } = useTranslation('fleet');
  return (
    <div className="crate-fleet-waiting">
      {/* Told once: how many there are changes with every page. */}
      <span role="status" className="pf-v6-screen-reader">
        {count > 0 && t('someWait')}
      </span>
      {count > 0 && (
        <Alert
          isInline
          component="p"
          variant="info"
          title={
            <>
              {t('waiting', { count })}{' '}
              <Button variant="link" isInline onClick={onShow}>
                {t('showNow')}
              </Button>
            </>
          }
        />
      )}
    </div>
  );
}
