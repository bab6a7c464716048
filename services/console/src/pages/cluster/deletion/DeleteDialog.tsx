import type { Cluster } from '@crate/api';
import {
  Button,
  Content,
  Form,
  FormGroup,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
  TextInput,
} from '@patternfly/react-core';
import { useMutation } from '@tanstack/react-query';
import { useId, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedError } from '../../../components/access/DeedError.js';
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
  const ids = { label: useId(), text: useId() };
  const [typed, setTyped] = useState('');
  const [isConfirmed, setConfirmed] = useState(false);
  const consents = useConsents(cluster);
  const needsConsent = consents.isMissing;
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => confirmAndDelete(key, cluster, needsConsent),
    onSuccess: onClose,
  });
  const isReady = typed === cluster.metadata.name && (!needsConsent || isConfirmed);
  return (
    <Modal isOpen variant="medium" onClose={onClose} aria-labelledby={ids.label} aria-describedby={ids.text}>
      <ModalHeader titleIconVariant="warning" title={t('delete.title', { ...key })} labelId={ids.label} />
      <ModalBody id={ids.text}>
        <Form
          onSubmit={(event) => {
            event.preventDefault();
            if (isReady && !isPending) mutate();
          }}
        >
          <Content>
            <p>{t('delete.body', { count: cluster.status?.nodes?.desired ?? 0 })}</p>
            <p>{t('delete.volumes')}</p>
          </Content>
          {cluster.spec.deletionProtection === true && (
            <Protection consents={consents} isConfirmed={isConfirmed} onConfirm={setConfirmed} />
          )}
          <TypedName name={key.name} typed={typed} onType={setTyped} />
          <DeedError error={error} />
        </Form>
      </ModalBody>
      <ModalFooter>
        <Button variant="danger" isDisabled={!isReady || isPending} isLoading={isPending} onClick={() => mutate()}>
          {t('delete.submit')}
        </Button>
        <Button variant="link" onClick={onClose}>
          {t('common:actions.cancel')}
        </Button>
      </ModalFooter>
    </Modal>
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
