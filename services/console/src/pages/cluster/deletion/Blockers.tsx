import type { Blocker, Cluster } from '@crate/api';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Name } from '../../../components/Name.js';
import { Age } from '../../../components/Age.js';
import { VolumeDecision } from './VolumeDecision.js';

interface BlockersProps {
  readonly blockers: readonly Blocker[];
  readonly cluster: Cluster;
}

/** What is in the way of a deletion, since when, and what to do about it. */
export function Blockers({ blockers, cluster }: BlockersProps): ReactElement {
  const { t } = useTranslation('cluster');
  return (
    <Table variant="compact" aria-label={t('blockers.title')} gridBreakPoint="grid-lg">
      <Thead>
        <Tr>
          <Th width={25}>{t('blockers.what')}</Th>
          <Th>{t('blockers.why')}</Th>
          <Th>{t('blockers.since')}</Th>
          <Th>{t('blockers.remedy')}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {blockers.map((blocker) => (
          <Tr key={`${blocker.kind}/${blocker.name}/${blocker.reason}`}>
            <Td dataLabel={t('blockers.what')} modifier="breakWord">
              <div>{blocker.kind}</div>
              <Name>{blocker.name}</Name>
            </Td>
            <Td dataLabel={t('blockers.why')} modifier="breakWord">
              <Name>{`${blocker.reason}: ${blocker.message}`}</Name>
            </Td>
            <Td dataLabel={t('blockers.since')}>
              <Age since={blocker.since} />
            </Td>
            <Td dataLabel={t('blockers.remedy')} modifier="breakWord">
              {blocker.reason === 'VolumeUndecided' ? (
                <VolumeDecision volume={blocker.name} cluster={cluster} />
              ) : (
                (blocker.remedy ?? t('blockers.wait'))
              )}
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}
