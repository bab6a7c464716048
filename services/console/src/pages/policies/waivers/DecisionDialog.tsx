import type { PolicyWaiver } from '@crate/api';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedDialog } from '../../../components/access/DeedDialog.js';
import { decide } from './waiver-view.js';

/** What is about to be decided. */
export interface Decision {
  readonly what: 'approve' | 'revoke';
  readonly waiver: PolicyWaiver;
}

interface DecisionDialogProps {
  readonly decision: Decision;
  readonly onClose: () => void;
}

/** Approves a waiver or takes it back, after what that means was said. */
export function DecisionDialog({ decision: { what, waiver }, onClose }: DecisionDialogProps): ReactElement {
  const { t } = useTranslation('policies');
  const { name } = waiver.metadata;
  return (
    <DeedDialog
      isDanger={what === 'revoke'}
      title={t(`waivers.${what}Title`, { name })}
      submit={t(`waivers.${what}`)}
      onSubmit={() => decide(waiver, what)}
      onClose={onClose}
    >
      <p>{t(`waivers.${what}Body`, { by: waiver.status?.requestedBy ?? '–' })}</p>
      <p>{waiver.spec.policies.join(', ')}</p>
      <p>{waiver.spec.reason}</p>
    </DeedDialog>
  );
}
