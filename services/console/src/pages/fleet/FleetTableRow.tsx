import type { FleetRow } from '@crate/api';
import { useRouter } from '@tanstack/react-router';
import { memo, type MouseEvent, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { clusterPath, type Column } from './columns.js';
import { opensRow } from './use-row-keys.js';

interface FleetTableRowProps {
  /** Place in the whole. */
  readonly index: number;
  readonly row: FleetRow;
  readonly columns: readonly Column[];
  readonly measure: (element: HTMLTableRowElement | null) => void;
}

/**
 * One cluster; a press anywhere on it leads to its page. Drawn anew only when something of it changed. Elements and
 * classes are those of PatternFly's `Tr` and `Td`, whose cells each look whether they are cut: a layout for every cell
 * that scrolls into view.
 */
export const FleetTableRow = memo(function FleetTableRow(props: FleetTableRowProps): ReactElement {
  const { index, row, columns, measure } = props;
  const { t } = useTranslation('fleet');
  const router = useRouter();
  const path = clusterPath(row);
  const onClick = (event: MouseEvent): void => {
    if (!opensRow(event)) return;
    event.preventDefault();
    void router.navigate({ to: path });
  };
  return (
    <tr
      ref={measure}
      className="pf-v6-c-table__tr pf-m-clickable"
      data-index={index}
      aria-rowindex={index + 2}
      // The link in the row is where the keyboard goes.
      tabIndex={-1}
      onClick={onClick}
    >
      {columns.map(({ id, cell }) => (
        <td key={id} className="pf-v6-c-table__td" data-label={t(`column.${id}`)}>
          {cell(row, t, `${router.basepath}${path}`)}
        </td>
      ))}
    </tr>
  );
});
