import type { Blocker, Cluster } from '@crate/api';
import { Flex } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../../api/paths.js';
import { Name } from '../../../components/Name.js';
import { Age } from '../../../components/Age.js';
import { GuardedButton } from '../access/GuardedButton.js';
import { DeedError } from '../../../components/access/DeedError.js';
import { annotate } from '../cluster-writes.js';
import { useClusterKey } from '../use-cluster-key.js';
import { KEEP_VOLUMES, REMOVE_VOLUMES } from './consent.js';

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
          <Th>{t('blockers.what')}</Th>
          <Th>{t('blockers.why')}</Th>
          <Th>{t('blockers.since')}</Th>
          <Th>{t('blockers.remedy')}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {blockers.map((blocker) => (
          <Tr key={`${blocker.kind}/${blocker.name}/${blocker.reason}`}>
            <Td dataLabel={t('blockers.what')} modifier="breakWord">
              <Name>{`${blocker.kind} ${blocker.name}`}</Name>
            </Td>
            <Td dataLabel={t('blockers.why')} modifier="breakWord">{`${blocker.reason}: ${blocker.message}`}</Td>
            <Td dataLabel={t('blockers.since')}>
              <Age since={blocker.since} />
            </Td>
            <Td dataLabel={t('blockers.remedy')} modifier="breakWord">
              {blocker.remedy ?? t('blockers.wait')}
              {blocker.reason === 'VolumeUndecided' && <VolumeDecision volume={blocker.name} cluster={cluster} />}
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}

/** Nobody knows whether this volume is to outlive its cluster: a person says so. */
function VolumeDecision({ volume, cluster }: { readonly volume: string; readonly cluster: Cluster }): ReactElement {
  const { t } = useTranslation('cluster');
  const key = useClusterKey();
  const decide = useMutation({
    mutationFn: (annotation: string) => {
      const named = cluster.metadata.annotations?.[annotation] ?? '';
      const volumes = [...named.split(',').filter((each) => each !== ''), volume];
      return annotate(key, { [annotation]: volumes.join(',') });
    },
  });
  const needs = { verb: 'patch', kind: KINDS.cluster } as const;
  return (
    <>
      <Flex>
        <GuardedButton variant="link" isInline needs={needs} onClick={() => decide.mutate(KEEP_VOLUMES)}>
          {t('blockers.keep', { volume })}
        </GuardedButton>
        <GuardedButton variant="link" isInline isDanger needs={needs} onClick={() => decide.mutate(REMOVE_VOLUMES)}>
          {t('blockers.remove', { volume })}
        </GuardedButton>
      </Flex>
      <DeedError error={decide.error} />
    </>
  );
}
