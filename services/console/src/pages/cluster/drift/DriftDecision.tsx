import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedDialog } from '../../../components/access/DeedDialog.js';
import { useClusterKey } from '../use-cluster-key.js';
import { decide } from './drift-report.js';
import type { DriftChoice } from './DriftActions.js';

interface DriftDecisionProps {
  readonly choice: DriftChoice;
  readonly onClose: () => void;
}

/** Says once more what the decision does, and makes it. */
export function DriftDecision({ choice: { action, digest }, onClose }: DriftDecisionProps): ReactElement {
  const { t } = useTranslation('cluster');
  const key = useClusterKey();
  return (
    <DeedDialog
      title={t(`drift.title_${action}`)}
      submit={t(`drift.${action}`)}
      onSubmit={() => decide(key, action, digest)}
      onClose={onClose}
    >
      <p>{t(`drift.body_${action}`)}</p>
    </DeedDialog>
  );
}
