import type { FleetRow, FleetSort } from '@crate/api';
import { Flex, FlexItem, Label } from '@patternfly/react-core';
import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { RowAge } from './RowAge.js';
import { CauseCell } from './CauseCell.js';
import { HealthLabel } from './HealthLabel.js';

/** A column of the fleet. */
export interface Column {
  readonly id: string;
  /** Share of the width of the table. */
  readonly share: number;
  readonly sort?: FleetSort;
  /** The way that a first press sorts. */
  readonly first?: 'asc' | 'desc';
  /** Shown when nobody chose columns. */
  readonly isUsual: boolean;
  readonly cell: (row: FleetRow, t: TFunction) => ReactNode;
}

/** All columns, in their order. */
export const COLUMNS: readonly Column[] = [
  {
    id: 'health',
    share: 13,
    sort: 'attention',
    first: 'desc',
    isUsual: true,
    cell: ({ health }) => <HealthLabel health={health} />,
  },
  { id: 'name', share: 15, sort: 'name', isUsual: true, cell: (row) => <ClusterLink row={row} /> },
  { id: 'project', share: 10, sort: 'project', isUsual: true, cell: ({ namespace }) => namespace },
  { id: 'cause', share: 31, isUsual: true, cell: (row) => <CauseCell row={row} /> },
  { id: 'version', share: 9, sort: 'version', isUsual: true, cell: ({ version }) => version },
  { id: 'region', share: 13, isUsual: true, cell: ({ region }) => <span className="crate-fleet-word">{region}</span> },
  { id: 'provider', share: 9, isUsual: false, cell: ({ provider }) => provider },
  { id: 'engine', share: 7, isUsual: false, cell: ({ engine }) => engine },
  { id: 'class', share: 9, isUsual: false, cell: ({ class: name }) => name },
  {
    id: 'nodes',
    share: 8,
    sort: 'nodes',
    first: 'desc',
    isUsual: true,
    cell: ({ nodes }, t) => t('count', { ...nodes }),
  },
  { id: 'addOns', share: 8, isUsual: false, cell: ({ addOns }, t) => t('count', { ...addOns }) },
  {
    id: 'cost',
    share: 10,
    sort: 'cost',
    first: 'desc',
    isUsual: true,
    cell: ({ monthlyCost }) => costText(monthlyCost),
  },
  { id: 'policy', share: 12, isUsual: false, cell: ({ policy }, t) => policyCell(policy, t) },
  {
    id: 'drift',
    share: 8,
    isUsual: false,
    cell: ({ drifted }, t) =>
      drifted && (
        <Label isCompact color="orange">
          {t('drifted')}
        </Label>
      ),
  },
  { id: 'age', share: 8, sort: 'age', isUsual: true, cell: ({ createdAt }) => <RowAge since={createdAt} /> },
];

/** Columns of these names, the name of the cluster always among them; the usual ones when none are named. */
export function chosenColumns(names: readonly string[]): readonly Column[] {
  if (names.length === 0) return COLUMNS.filter(({ isUsual }) => isUsual);
  return COLUMNS.filter(({ id }) => id === 'name' || names.includes(id));
}

/** Where a cluster has its page. */
export function clusterPath({ namespace, name }: Pick<FleetRow, 'namespace' | 'name'>): string {
  return `/clusters/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}

function ClusterLink({ row }: { readonly row: FleetRow }): ReactNode {
  return (
    <Link to={clusterPath(row)} data-cluster={row.uid} className="crate-fleet-name" title={row.name}>
      {row.name}
    </Link>
  );
}

/** An amount as the reader's language writes it. */
export function costText(cost: FleetRow['monthlyCost']): string {
  if (!cost) return '';
  const { amount, currency } = cost;
  return new Intl.NumberFormat(undefined, { style: 'currency', currency, maximumFractionDigits: 0 }).format(amount);
}

function policyCell(policy: FleetRow['policy'], t: TFunction): ReactNode {
  if (!policy || policy.fail + policy.warn === 0) return policy ? t('policy.fine') : t('policy.unknown');
  return (
    <Flex gap={{ default: 'gapXs' }}>
      {policy.fail > 0 && (
        <FlexItem>
          <Label isCompact status="danger">
            {t('policy.fail', { count: policy.fail })}
          </Label>
        </FlexItem>
      )}
      {policy.warn > 0 && (
        <FlexItem>
          <Label isCompact status="warning">
            {t('policy.warn', { count: policy.warn })}
          </Label>
        </FlexItem>
      )}
    </Flex>
  );
}
