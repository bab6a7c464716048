import type { DriftReport } from '@crate/api';
import { ActionList, ActionListItem } from '@patternfly/react-core';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../../api/paths.js';
import { DeedError } from '../../../components/access/DeedError.js';
import { GuardedButton } from '../access/GuardedButton.js';
import { useCluster } from '../cluster-context.js';
import { useClusterKey } from '../use-cluster-key.js';
import { askForCheck } from './drift-report.js';

/** What somebody is about to say of the drift that they see. */
export interface DriftChoice {
  readonly action: 'correct' | 'keep';
  readonly digest: string;
}

interface DriftActionsProps {
  readonly report: DriftReport;
  readonly underWay: 'correct' | 'keep' | undefined;
  readonly onChoose: (choice: DriftChoice) => void;
}

const NEEDS = { verb: 'patch', kind: KINDS.cluster } as const;

/** Compares now, and leads to the decision. */
export function DriftActions({ report: { drift }, underWay, onChoose }: DriftActionsProps): ReactElement {
  const { t } = useTranslation('cluster');
  const key = useClusterKey();
  const isGoing = useCluster().metadata.deletionTimestamp !== undefined;
  const { mutate, isPending, error } = useMutation({ mutationFn: () => askForCheck(key) });
  const busy = isGoing ? t('nodes.going') : underWay && t(`drift.underWay.${underWay}`);
  const isAllMissing = drift?.resources.every(({ kind }) => kind === 'missing') ?? false;
  return (
    <div>
      <ActionList>
        <ActionListItem>
          <GuardedButton
            variant="secondary"
            needs={NEEDS}
            refusal={isGoing ? t('nodes.going') : undefined}
            isLoading={isPending}
            onClick={() => mutate()}
          >
            {t('drift.check')}
          </GuardedButton>
        </ActionListItem>
        {drift && (
          <>
            <ActionListItem>
              <GuardedButton
                needs={NEEDS}
                refusal={busy}
                onClick={() => onChoose({ action: 'correct', digest: drift.digest })}
              >
                {t('drift.correct')}
              </GuardedButton>
            </ActionListItem>
            {drift.resources.length > 0 && (
              <ActionListItem>
                <GuardedButton
                  variant="secondary"
                  needs={NEEDS}
                  refusal={busy ?? (isAllMissing ? t('drift.allMissing') : undefined)}
                  onClick={() => onChoose({ action: 'keep', digest: drift.digest })}
                >
                  {t('drift.keep')}
                </GuardedButton>
              </ActionListItem>
            )}
          </>
        )}
      </ActionList>
      {underWay && <p role="status">{t(`drift.underWay.${underWay}`)}</p>}
      <DeedError error={error} />
    </div>
  );
}
