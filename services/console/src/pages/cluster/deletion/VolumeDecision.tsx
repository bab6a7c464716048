import type { Cluster } from '@crate/api';
import { Flex, Stack } from '@patternfly/react-core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../../api/paths.js';
import { DeedDialog } from '../../../components/access/DeedDialog.js';
import { DeedError } from '../../../components/access/DeedError.js';
import { GuardedButton } from '../access/GuardedButton.js';
import { useClusterKey } from '../use-cluster-key.js';
import { KEEP_VOLUMES, REMOVE_VOLUMES } from './consent.js';
import { decideVolume } from './decide-volume.js';
import { decidedVolumes } from './decided-volumes.js';

interface VolumeDecisionProps {
  readonly volume: string;
  readonly cluster: Cluster;
}

/** Nobody knows whether this volume is to outlive its cluster: a person says so. What is on it is lost by one answer only. */
export function VolumeDecision({ volume, cluster }: VolumeDecisionProps): ReactElement {
  const { t } = useTranslation('cluster');
  const key = useClusterKey();
  const [isRemoving, setRemoving] = useState(false);
  const decided = decidedVolumes(cluster);
  const decide = (annotation: keyof typeof decided): Promise<Cluster> => decideVolume(key, annotation, volume);
  const keep = useMutation({ mutationFn: () => decide(KEEP_VOLUMES) });
  const needs = { verb: 'patch', kind: KINDS.cluster } as const;
  if (decided[KEEP_VOLUMES].includes(volume)) return <>{t('volume.keeping')}</>;
  if (decided[REMOVE_VOLUMES].includes(volume)) return <>{t('volume.removing')}</>;
  return (
    <Stack hasGutter>
      <p>{t('volume.undecided')}</p>
      <Flex columnGap={{ default: 'columnGapSm' }}>
        <GuardedButton
          variant="secondary"
          size="sm"
          needs={needs}
          isLoading={keep.isPending}
          aria-label={t('volume.keepOf', { volume })}
          onClick={() => keep.mutate()}
        >
          {t('volume.keep')}
        </GuardedButton>
        <GuardedButton
          variant="secondary"
          size="sm"
          isDanger
          needs={needs}
          aria-label={t('volume.removeOf', { volume })}
          onClick={() => setRemoving(true)}
        >
          {t('volume.remove')}
        </GuardedButton>
      </Flex>
      <DeedError error={keep.error} />
      {isRemoving && (
        <DeedDialog
          isDanger
          title={t('volume.removeTitle', { volume })}
          submit={t('volume.removeIt')}
          onSubmit={() => decide(REMOVE_VOLUMES)}
          onClose={() => setRemoving(false)}
        >
          <p>{t('volume.removeBody')}</p>
        </DeedDialog>
      )}
    </Stack>
  );
}
