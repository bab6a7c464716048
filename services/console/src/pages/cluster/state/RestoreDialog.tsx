import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { apiJson } from '../../../api/http.js';
import { objectPath } from '../../../api/paths.js';
import { DeedDialog } from '../../../components/access/DeedDialog.js';
import { TextField } from '../../../components/subpages/TextField.js';
import type { AnyVersion, StateFamily } from './state-family.js';

interface RestoreDialogProps {
  readonly family: StateFamily;
  readonly version: AnyVersion;
  /** Once it is in place, before the dialog closes. */
  readonly onRestored: () => void;
  readonly onClose: () => void;
}

/** Puts an older version of a state in place as a new one, for a reason that is kept. */
export function RestoreDialog({ family, version, onRestored, onClose }: RestoreDialogProps): ReactElement {
  const { t } = useTranslation('cluster');
  const [reason, setReason] = useState('');
  const { name, namespace } = version.metadata;
  return (
    <DeedDialog
      title={t('states.restoreOf', { serial: version.spec.serial })}
      submit={t('states.restore')}
      variant="medium"
      isReady={reason.trim() !== ''}
      onSubmit={() =>
        apiJson(objectPath(family.kind, name, namespace, 'restore'), {
          method: 'POST',
          body: { reason: reason.trim() },
        }).then(onRestored)
      }
      onClose={onClose}
    >
      <p>{t(`states.restoreBody.${family.name}`)}</p>
      <TextField label={t('states.restoreReason')} isRequired isLong value={reason} onChange={setReason} />
    </DeedDialog>
  );
}
