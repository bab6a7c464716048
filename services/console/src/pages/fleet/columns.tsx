import type { FleetRow, FleetSort } from '@crate/api';
import { Flex, FlexItem, Label } from '@patternfly/react-core';
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
  /** `href` is the page of the cluster, as the browser opens it. */
  readonly cell: (row: FleetRow, t: TFunction, href: string) => ReactNode;
}

/** All columns, in their order. */
export const COLUMNS: readonly Column[] = [
  {
    id: 'health',
    share: 12,
    sort: 'attention',
    first: 'desc',
    isUsual: true,
    cell: ({ health }, t) => <HealthLabel health={health} t={t} />,
  },
  { id: 'name', share: 16, sort: 'name', isUsual: true, cell: (row, _t, href) => clusterLink(row, href) },
  { id: 'project', share: 14, sort: 'project', isUsual: true, cell: ({ namespace }) => namespace },
  { id: 'cause', share: 30, isUsual: true, cell: (row, t) => <CauseCell row={row} t={t} /> },
  { id: 'version', share: 10, sort: 'version', isUsual: true, cell: ({ version }) => versionText(version) },
  { id: 'region', share: 11, isUsual: true, cell: ({ region }) => <span className="crate-fleet-word">{region}</span> },
  { id: 'provider', share: 9, isUsual: false, cell: ({ provider }) => provider },
  { id: 'engine', share: 7, isUsual: false, cell: ({ engine }) => engine },
  { id: 'class', share: 9, isUsual: false, cell: ({ class: name }) => name },
  {
    id: 'nodes',
    share: 9,
    sort: 'nodes',
    first: 'desc',
    isUsual: true,
    cell: ({ nodes }, t) => <span className="crate-fleet-word">{t('count', { ...nodes })}</span>,
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

/** A plain link: the row that it is in knows what a press on it means. */
function clusterLink({ uid, name }: FleetRow, href: string): ReactNode {
  return (
    <a href={href} data-cluster={uid} className="crate-fleet-name" title={name}>
      {name}
    </a>
  );
}

/** A version is read as one word; what a distribution adds to it may stand on a line of its own. */
function versionText(version: FleetRow['version']): ReactNode {
  const [release, ...more] = (version ?? '').split(/(?=[+-])/);
  return (
    <>
      <span className="crate-fleet-word">{release}</span>
      {more.length > 0 && <wbr />}
      {more.join('')}
    </>
  );
}

/** An amount as the reader's language writes it. */
export function costText(cost: FleetRow['monthlyCost']): string {
  if (!cost) return '';
  return amountFormat(cost.currency).format(cost.amount);
}

const amountFormats = new Map<string, Intl.NumberFormat>();

/** One for each currency: making it takes longer than using it. */
function amountFormat(currency: string): Intl.NumberFormat {
  const known = amountFormats.get(currency);
  if (known) return known;
  const format = new Intl.NumberFormat(undefined, { style: 'currency', currency, maximumFractionDigits: 0 });
  amountFormats.set(currency, format);
  return format;
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
