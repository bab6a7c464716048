import type { CloudAccount } from '@crate/api';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedDialog } from '../../components/access/DeedDialog.js';
import { TextField } from '../../components/subpages/TextField.js';
import { replaceCredentials } from './project-writes.js';

interface CredentialsDialogProps {
  readonly account: CloudAccount;
  readonly onClose: () => void;
}

/** Takes new credentials of an account; none ever come back to the page. */
export function CredentialsDialog({ account, onClose }: CredentialsDialogProps): ReactElement {
  const { t } = useTranslation('projects');
  const [accessKeyId, setAccessKeyId] = useState('');
  const [secretAccessKey, setSecretAccessKey] = useState('');
  return (
    <DeedDialog
      title={t('account.replaceTitle', { name: account.metadata.name })}
      submit={t('account.replaceSubmit')}
      isReady={accessKeyId !== '' && secretAccessKey !== ''}
      onSubmit={() => replaceCredentials(account, { accessKeyId, secretAccessKey })}
      onClose={onClose}
    >
      <p>{t('account.replaceHelp')}</p>
      <TextField label={t('account.accessKeyId')} isRequired value={accessKeyId} onChange={setAccessKeyId} />
      <TextField
        type="password"
        label={t('account.secretAccessKey')}
        isRequired
        value={secretAccessKey}
        onChange={setSecretAccessKey}
      />
    </DeedDialog>
  );
}
