import type { Blocker } from '@crate/api';
import { Content, FormGroup, List, ListItem, TextArea } from '@patternfly/react-core';
import { useId, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedDialog } from '../../../components/access/DeedDialog.js';
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
  const id = useId();
  const [reason, setReason] = useState('');
  return (
    <DeedDialog
      isDanger
      variant="medium"
      title={t('force.title')}
      submit={t('force.submit')}
      isReady={reason.trim() !== ''}
      onSubmit={() => annotate(key, { [FORCE]: reason.trim() })}
      onClose={onClose}
    >
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
      <FormGroup label={t('force.reason')} isRequired fieldId={id}>
        <TextArea id={id} isRequired value={reason} onChange={(_, text) => setReason(text)} />
      </FormGroup>
    </DeedDialog>
  );
}
