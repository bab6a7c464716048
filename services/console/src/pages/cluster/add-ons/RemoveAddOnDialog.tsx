import { useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedDialog } from '../../../components/access/DeedDialog.js';
import { useCluster } from '../cluster-context.js';
import { ConsequencesPreview } from '../ConsequencesPreview.js';
import { writeCluster } from '../dry-run.js';
import { useClusterKey } from '../use-cluster-key.js';
import { removal } from './add-on-change.js';
import type { AddOnRow } from './add-on-rows.js';

interface RemoveAddOnDialogProps {
  readonly row: AddOnRow;
  readonly onClose: () => void;
}

/** Asks for an add-on no longer, after what that leads to was shown. */
export function RemoveAddOnDialog({ row, onClose }: RemoveAddOnDialogProps): ReactElement {
  const { t } = useTranslation('cluster');
  const key = useClusterKey();
  // As it was when the dialog opened: the change is refused when somebody else was quicker.
  const [{ spec }] = useState(useCluster());
  const change = useMemo(() => removal(spec, row), [spec, row]);
  return (
    <DeedDialog
      title={t('addOns.removeOf', { name: row.name })}
      submit={t('addOns.remove')}
      variant="medium"
      isDanger
      onSubmit={() => writeCluster(key, change)}
      onClose={onClose}
    >
      <p>{t('addOns.removal')}</p>
      <ConsequencesPreview change={change} />
    </DeedDialog>
  );
}
