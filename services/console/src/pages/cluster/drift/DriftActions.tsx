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
export function DriftActions(props: DriftActionsProps): ReactElement {
  const { underWay } = props;
  const { t } = useTranslation('cluster');
  const key = useClusterKey();
  const isGoing = useCluster().metadata.deletionTimestamp !== undefined;
  const { mutate, isPending, error } = useMutation({ mutationFn: () => askForCheck(key) });
  const going = isGoing ? t('nodes.going') : undefined;
  const deciding = underWay && t(`drift.underWay.${underWay}`);
  return (
    <div>
      <ActionList>
        <ActionListItem>
          <GuardedButton
            variant="secondary"
            needs={NEEDS}
            refusal={going}
            isLoading={isPending}
            onClick={() => mutate()}
          >
            {t('drift.check')}
          </GuardedButton>
        </ActionListItem>
        <DecisionItems {...props} refusal={going ?? deciding} />
      </ActionList>
      {underWay && <p role="status">{deciding}</p>}
      <DeedError error={error} />
    </div>
  );
}

interface DecisionItemsProps extends Pick<DriftActionsProps, 'report' | 'onChoose'> {
  /** Why nothing can be decided now. */
  readonly refusal: string | undefined;
}

/** What can be decided about the drift that was found; nothing while there is none. */
function DecisionItems({ report: { drift }, refusal, onChoose }: DecisionItemsProps): ReactElement | null {
  const { t } = useTranslation('cluster');
  if (!drift) return null;
  const { resources, digest } = drift;
  const isAllMissing = resources.every(({ kind }) => kind === 'missing');
  return (
    <>
      <ActionListItem>
        <GuardedButton needs={NEEDS} refusal={refusal} onClick={() => onChoose({ action: 'correct', digest })}>
          {t('drift.correct')}
        </GuardedButton>
      </ActionListItem>
      {resources.length > 0 && (
        <ActionListItem>
          <GuardedButton
            variant="secondary"
            needs={NEEDS}
            refusal={refusal ?? (isAllMissing ? t('drift.allMissing') : undefined)}
            onClick={() => onChoose({ action: 'keep', digest })}
          >
            {t('drift.keep')}
          </GuardedButton>
        </ActionListItem>
      )}
    </>
  );
}
