import type { FleetRow } from '@crate/api';
import { Skeleton } from '@patternfly/react-core';
import { Td, Tr } from '@patternfly/react-table';
import { useNavigate } from '@tanstack/react-router';
import { memo, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { clusterPath, type Column } from './columns.js';
import { isMeantForRow } from './use-row-keys.js';

interface FleetTableRowProps {
  /** Place in the whole. */
  readonly index: number;
  /** Undefined until it is loaded. */
  readonly row: FleetRow | undefined;
  readonly columns: readonly Column[];
  readonly measure: (element: HTMLTableRowElement | null) => void;
}

/** One cluster; a press anywhere on it leads to its page. Drawn anew only when something of it changed. */
export const FleetTableRow = memo(function FleetTableRow(props: FleetTableRowProps): ReactElement {
  const { index, row, columns, measure } = props;
  const { t } = useTranslation('fleet');
  const navigate = useNavigate();
  return (
    <Tr
      ref={measure}
      data-index={index}
      aria-rowindex={index + 2}
      isClickable={row !== undefined}
      // The link in the row is where the keyboard goes.
      tabIndex={-1}
      onClick={(event) => {
        if (row && isMeantForRow(event)) void navigate({ to: clusterPath(row) });
      }}
    >
      {columns.map(({ id, cell }) => (
        <Td key={id} dataLabel={t(`column.${id}`)}>
          {row ? cell(row, t) : <Skeleton screenreaderText={t('loading')} />}
        </Td>
      ))}
    </Tr>
  );
});
