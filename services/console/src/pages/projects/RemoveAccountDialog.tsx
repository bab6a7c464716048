import type { CloudAccount } from '@crate/api';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedDialog } from '../../components/access/DeedDialog.js';
import { removeAccount } from './project-writes.js';

interface RemoveAccountDialogProps {
  readonly account: CloudAccount;
  readonly onClose: () => void;
}

/** Removes the account that was shown; the platform refuses while a cluster uses it, and says which. */
export function RemoveAccountDialog({ account, onClose }: RemoveAccountDialogProps): ReactElement {
  const { t } = useTranslation('projects');
  return (
    <DeedDialog
      title={t('account.removeTitle', { name: account.metadata.name })}
      submit={t('account.remove')}
      isDanger
      onSubmit={() => removeAccount(account)}
      onClose={onClose}
    >
      <p>{t('account.removeHelp')}</p>
    </DeedDialog>
  );
}
