import type { Cluster } from '@crate/api';
import { Content, FormGroup, TextInput } from '@patternfly/react-core';
import { useId, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedDialog } from '../../../components/access/DeedDialog.js';
import { annotate, deleteCluster } from '../cluster-writes.js';
import { useClusterKey, type ClusterKey } from '../use-cluster-key.js';
import { CONFIRM } from './consent.js';
import { Protection } from './Protection.js';
import { useConsents } from './use-consents.js';

interface DeleteDialogProps {
  readonly cluster: Cluster;
  readonly onClose: () => void;
}

/** Asks for a deletion once the person typed the name, and consented to it where the cluster is protected. */
export function DeleteDialog({ cluster, onClose }: DeleteDialogProps): ReactElement {
  const { t } = useTranslation('cluster');
  const key = useClusterKey();
  const [typed, setTyped] = useState('');
  const [isConfirmed, setConfirmed] = useState(false);
  const consents = useConsents(cluster);
  const needsConsent = consents.isMissing;
  return (
    <DeedDialog
      isDanger
      variant="medium"
      title={t('delete.title', { ...key })}
      submit={t('delete.submit')}
      isReady={typed === cluster.metadata.name && (!needsConsent || isConfirmed)}
      onSubmit={() => confirmAndDelete(key, cluster, needsConsent)}
      onClose={onClose}
    >
      <Content>
        <p>{t('delete.body', { count: cluster.status?.nodes?.desired ?? 0 })}</p>
        <p>{t('delete.volumes')}</p>
      </Content>
      {cluster.spec.deletionProtection === true && (
        <Protection consents={consents} isConfirmed={isConfirmed} onConfirm={setConfirmed} />
      )}
      <TypedName name={key.name} typed={typed} onType={setTyped} />
    </DeedDialog>
  );
}

interface TypedNameProps {
  readonly name: string;
  readonly typed: string;
  readonly onType: (text: string) => void;
}

function TypedName({ name, typed, onType }: TypedNameProps): ReactElement {
  const { t } = useTranslation('cluster');
  const id = useId();
  return (
    <FormGroup label={t('delete.type', { name })} fieldId={id}>
      <TextInput id={id} value={typed} autoComplete="off" spellCheck={false} onChange={(_, text) => onType(text)} />
    </FormGroup>
  );
}

async function confirmAndDelete(key: ClusterKey, cluster: Cluster, needsConsent: boolean): Promise<void> {
  if (needsConsent) {
    // Consent that grew old stays old until it is taken away.
    if (cluster.metadata.annotations?.[CONFIRM] !== undefined) await annotate(key, { [CONFIRM]: null });
    await annotate(key, { [CONFIRM]: key.name });
  }
  await deleteCluster(cluster);
}
