import { Card, CardBody, CardHeader, CardTitle, Content } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import type { ReactElement, ReactNode } from 'react';

interface TableCardProps {
  readonly title: string;
  readonly columns: readonly string[];
  /** Cells in the order of the columns. */
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[];
  /** In place of a table without rows. */
  readonly empty: string;
  /** Below the table. */
  readonly note?: string | undefined;
  /** At the end of the heading: what can be done. */
  readonly actions?: ReactNode;
}

/** A table under a heading; on narrow screens each row stands by itself. */
export function TableCard({ title, columns, rows, empty, note, actions }: TableCardProps): ReactElement {
  return (
    <Card>
      <CardHeader hasWrap {...(actions === undefined ? {} : { actions: { actions, hasNoOffset: true } })}>
        <CardTitle component="h2">{title}</CardTitle>
      </CardHeader>
      <CardBody>
        {rows.length === 0 ? <Content component="p">{empty}</Content> : <Rows {...{ title, columns, rows }} />}
        {note !== undefined && <Content component="p">{note}</Content>}
      </CardBody>
    </Card>
  );
}

function Rows({ title, columns, rows }: Pick<TableCardProps, 'title' | 'columns' | 'rows'>): ReactElement {
  return (
    <Table aria-label={title} variant="compact" gridBreakPoint="grid-lg">
      <Thead>
        <Tr>
          {columns.map((column) => (
            <Th key={column} modifier="wrap">
              {column}
            </Th>
          ))}
        </Tr>
      </Thead>
      <Tbody>
        {rows.map(({ key, cells }) => (
          <Tr key={key}>
            {columns.map((column, index) => (
              <Td key={column} dataLabel={column} modifier="breakWord">
                {cells[index]}
              </Td>
            ))}
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}
