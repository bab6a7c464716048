import type { Blocker } from '@crate/api';
import {
  Button,
  Content,
  Form,
  FormGroup,
  List,
  ListItem,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
  TextArea,
} from '@patternfly/react-core';
import { useMutation } from '@tanstack/react-query';
import { useId, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedError } from '../../../components/access/DeedError.js';
import { Name } from '../../../components/Name.js';
import { annotate } from '../cluster-writes.js';
import { useClusterKey } from '../use-cluster-key.js';
import { FORCE } from './consent.js';

interface ForceDialogProps {
  readonly blockers: readonly Blocker[];
  readonly onClose: () => void;
}

/** An administrator gives up what is in the way, for a reason that is kept. */
export function ForceDialog({ blockers, onClose }: ForceDialogProps): ReactElement {
  const { t } = useTranslation('cluster');
  const key = useClusterKey();
  const ids = { label: useId(), reason: useId() };
  const [reason, setReason] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => annotate(key, { [FORCE]: reason.trim() }),
    onSuccess: onClose,
  });
  return (
    <Modal isOpen variant="medium" onClose={onClose} aria-labelledby={ids.label}>
      <ModalHeader titleIconVariant="danger" title={t('force.title')} labelId={ids.label} />
      <ModalBody>
        <Form onSubmit={(event) => event.preventDefault()}>
          <Content>
            <p>{t('force.body')}</p>
            <p>{t('force.now')}</p>
            <List>
              {blockers.map(({ kind, name, reason }) => (
                <ListItem key={`${kind}/${name}/${reason}`}>
                  {kind} <Name>{name}</Name>
                </ListItem>
              ))}
            </List>
          </Content>
          <FormGroup label={t('force.reason')} isRequired fieldId={ids.reason}>
            <TextArea id={ids.reason} isRequired value={reason} onChange={(_, text) => setReason(text)} />
          </FormGroup>
          <DeedError error={error} />
        </Form>
      </ModalBody>
      <ModalFooter>
        <Button
          variant="danger"
          isDisabled={reason.trim() === '' || isPending}
          isLoading={isPending}
          onClick={() => mutate()}
        >
          {t('force.submit')}
        </Button>
        <Button variant="link" onClick={onClose}>
          {t('common:actions.cancel')}
        </Button>
      </ModalFooter>
    </Modal>
  );
}
