import { Flex, FlexItem, Label } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../../api/paths.js';
import { addOnSchema, addOnVersions } from '../../../components/form/add-on-schema.js';
import { GuardedButton } from '../access/GuardedButton.js';
import { useCluster } from '../cluster-context.js';
import { heldBack, type AddOnRow } from './add-on-rows.js';

const STATUS = { ready: 'success', working: 'info', failing: 'danger', leaving: 'warning' } as const;

/** What can be done about an add-on. */
export type AddOnDeed = 'install' | 'configure' | 'upgrade' | 'remove';

interface AddOnTableProps {
  readonly rows: readonly AddOnRow[];
  readonly onChoose: (row: AddOnRow, deed: AddOnDeed) => void;
}

/** All add-ons, a row each. */
export function AddOnTable({ rows, onChoose }: AddOnTableProps): ReactElement {
  const { t } = useTranslation('cluster');
  return (
    <Table aria-label={t('addOns.title')} gridBreakPoint="grid-lg">
      <Thead>
        <Tr>
          <Th>{t('addOns.name')}</Th>
          <Th>{t('addOns.state')}</Th>
          <Th modifier="fitContent">{t('addOns.version')}</Th>
          <Th>{t('addOns.why')}</Th>
          <Th>{t('nodes.actions')}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {rows.map((row) => (
          <Row key={row.name} row={row} onChoose={(deed) => onChoose(row, deed)} />
        ))}
      </Tbody>
    </Table>
  );
}

interface RowProps {
  readonly row: AddOnRow;
  readonly onChoose: (deed: AddOnDeed) => void;
}

function Row({ row, onChoose }: RowProps): ReactElement {
  const { t } = useTranslation('cluster');
  const { name, addOn, state, message, why, neededBy } = row;
  return (
    <Tr>
      <Td dataLabel={t('addOns.name')} modifier="breakWord">
        <div>
          <strong>{name}</strong>
          <br />
          {addOn?.spec.description ?? t('addOns.unknown')}
        </div>
      </Td>
      <Td dataLabel={t('addOns.state')} modifier="breakWord">
        <div>
          <Label isCompact {...(state === 'offered' ? { color: 'grey' as const } : { status: STATUS[state] })}>
            {t(`addOns.is.${state}`)}
          </Label>{' '}
          {message}
        </div>
      </Td>
      <Td dataLabel={t('addOns.version')}>
        <Version row={row} />
      </Td>
      <Td dataLabel={t('addOns.why')}>
        <div>
          {why === 'none' ? '–' : t(`addOns.because.${why}`)}{' '}
          {neededBy.length > 0 && t('addOns.neededBy', { names: neededBy.join(', ') })}
        </div>
      </Td>
      <Td dataLabel={t('nodes.actions')}>
        <Deeds row={row} onChoose={onChoose} />
      </Td>
    </Tr>
  );
}

function Version({ row }: Pick<RowProps, 'row'>): ReactElement {
  const { t } = useTranslation('cluster');
  const { installed, offered, request } = row;
  const aim = request?.version ?? offered;
  const isMoving = installed !== undefined && aim !== undefined && installed !== aim;
  const held = heldBack(row);
  return (
    <div>
      {isMoving ? t('addOns.moving', { installed, offered: aim }) : (installed ?? aim ?? '–')}{' '}
      {held !== undefined && (
        <Label isCompact color="yellow">
          {t('addOns.held', { offered })}
        </Label>
      )}
    </div>
  );
}

function Deeds({ row, onChoose }: RowProps): ReactElement {
  const { t } = useTranslation('cluster');
  const isGoing = useCluster().metadata.deletionTimestamp !== undefined;
  return (
    <Flex columnGap={{ default: 'columnGapSm' }} rowGap={{ default: 'rowGapSm' }}>
      {deedsOf(row).map((deed) => (
        <FlexItem key={deed}>
          <GuardedButton
            size="sm"
            variant="secondary"
            needs={{ verb: 'patch', kind: KINDS.cluster }}
            refusal={isGoing ? t('nodes.going') : undefined}
            aria-label={t(`addOns.${deed}Of`, { name: row.name, version: row.offered })}
            onClick={() => onChoose(deed)}
          >
            {t(`addOns.${deed}`)}
          </GuardedButton>
        </FlexItem>
      ))}
    </Flex>
  );
}

function deedsOf(row: AddOnRow): readonly AddOnDeed[] {
  const { addOn, why, request } = row;
  const isOpen = addOn !== undefined && (addOnSchema(addOn, request?.version) || addOnVersions(addOn).length > 1);
  const changes: AddOnDeed[] = [...(heldBack(row) === undefined ? [] : ['upgrade' as const])];
  if (why === 'none' || why === 'leftOut') return addOn ? ['install'] : [];
  if (isOpen) changes.push('configure');
  return why === 'needed' ? changes : [...changes, 'remove'];
}
