import type { PolicyWaiver } from '@crate/api';
import { Label, type LabelProps } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ageText } from '../../../components/age-text.js';
import { useNow } from '../../../components/use-now.js';
import type { Decision } from './DecisionDialog.js';
import { sortedWaivers, waiverState, type WaiverState } from './waiver-view.js';
import { WaiverActions } from './WaiverActions.js';

const STATUS: Readonly<Record<WaiverState, LabelProps['status']>> = {
  WaitingForApproval: 'info',
  InForce: 'success',
  Expired: 'warning',
  Revoked: 'warning',
  CoversNothing: 'warning',
  unknown: 'info',
};

interface WaiverTableProps {
  readonly waivers: readonly PolicyWaiver[];
  readonly onDecide: (decision: Decision) => void;
}

/** Waivers; those that wait for somebody come first. */
export function WaiverTable({ waivers, onDecide }: WaiverTableProps): ReactElement {
  const { t } = useTranslation('policies');
  const nowMs = useNow();
  return (
    <Table aria-label={t('waivers.title')} variant="compact" gridBreakPoint="grid-xl">
      <Thead>
        <Tr>
          <Th>{t('waivers.name')}</Th>
          <Th>{t('waivers.rules')}</Th>
          <Th>{t('waivers.reason')}</Th>
          <Th>{t('waivers.state')}</Th>
          <Th modifier="wrap">{t('waivers.by')}</Th>
          <Th>{t('waivers.ends')}</Th>
          <Th screenReaderText={t('waivers.actions')} />
        </Tr>
      </Thead>
      <Tbody>
        {sortedWaivers(waivers, nowMs).map((waiver) => (
          <WaiverRow
            key={waiver.metadata.name}
            waiver={waiver}
            state={waiverState(waiver, nowMs)}
            leftMs={Date.parse(waiver.spec.expiresAt) - nowMs}
            onDecide={onDecide}
          />
        ))}
      </Tbody>
    </Table>
  );
}

interface WaiverRowProps {
  readonly waiver: PolicyWaiver;
  readonly state: WaiverState;
  readonly leftMs: number;
  readonly onDecide: (decision: Decision) => void;
}

function WaiverRow({ waiver, state, leftMs, onDecide }: WaiverRowProps): ReactElement {
  const { t } = useTranslation('policies');
  const { metadata, spec, status } = waiver;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const where =
    spec.clusters === undefined ? t('waivers.everywhere') : t('waivers.in', { clusters: spec.clusters.join(', ') });
  const left = leftMs <= 0 ? t('waivers.over') : t('waivers.left', { time: ageText(leftMs) });
  return (
    <Tr>
      <Td dataLabel={t('waivers.name')}>{metadata.name}</Td>
      <Td dataLabel={t('waivers.rules')} modifier="breakWord">
        {spec.policies.join(', ')}
        <br />
        <small>
          {where}
          {status?.covers && <>, {t('waivers.covers', { count: status.covers.count })}</>}
        </small>
      </Td>
      <Td dataLabel={t('waivers.reason')} modifier="breakWord">
        {spec.reason}
        {spec.ticket !== undefined && <> ({spec.ticket})</>}
      </Td>
      <Td dataLabel={t('waivers.state')} modifier="breakWord">
        <Label isCompact status={STATUS[state]}>
          {t(`waivers.states.${state}`)}
        </Label>
        <br />
        <small>{ready?.message}</small>
      </Td>
      <Td dataLabel={t('waivers.by')} modifier="breakWord">
        {status?.requestedBy ?? '–'}
      </Td>
      <Td dataLabel={t('waivers.ends')}>
        {spec.expiresAt.slice(0, 10)}, {left}
      </Td>
      <Td dataLabel={t('waivers.actions')}>
        <WaiverActions waiver={waiver} state={state} onDecide={onDecide} />
      </Td>
    </Tr>
  );
}
