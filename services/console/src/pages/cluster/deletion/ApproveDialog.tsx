import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../app/session-context.js';
import { DeedDialog } from '../../../components/access/DeedDialog.js';
import { TextField } from '../../../components/subpages/TextField.js';
import { annotate } from '../cluster-writes.js';
import { useClusterKey, type ClusterKey } from '../use-cluster-key.js';
import { APPROVE } from './consent.js';

/** A second person consents to the deletion of a protected cluster, once they typed which. */
export function ApproveDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { t } = useTranslation('cluster');
  const key = useClusterKey();
  const { user } = useSession();
  const [typed, setTyped] = useState('');
  return (
    <DeedDialog
      isDanger
      variant="medium"
      title={t('consent.approveTitle', { name: key.name })}
      submit={t('consent.approve')}
      isReady={typed === key.name}
      onSubmit={() => approve(key, user)}
      onClose={onClose}
    >
      <p>{t('consent.approveBody')}</p>
      <TextField label={t('delete.type', { name: key.name })} value={typed} onChange={setTyped} />
    </DeedDialog>
  );
}

/** Anew: an approval that grew old counts again only once it was taken away. */
async function approve(key: ClusterKey, user: string): Promise<void> {
  await annotate(key, { [APPROVE]: null });
  await annotate(key, { [APPROVE]: user });
}
