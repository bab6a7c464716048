import type { Plan } from '@crate/api';
import { Flex } from '@patternfly/react-core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../../api/paths.js';
import { GuardedButton } from '../access/GuardedButton.js';
import { DeedDialog } from '../../../components/access/DeedDialog.js';
import { DeedError } from '../../../components/access/DeedError.js';
import { useCluster } from '../cluster-context.js';
import { useClusterKey } from '../use-cluster-key.js';
import { isBehind, isRepeatable, phaseOf } from './plan-phase.js';
import { approvePlan, rejectPlan, repeatPlan } from './plan-writes.js';

interface PlanDecisionProps {
  readonly plan: Plan;
  readonly onOther: (name: string | undefined) => void;
}

const REJECTABLE: ReadonlySet<string> = new Set(['Ready', 'Pending']);
const REPEATABLE: ReadonlySet<string> = new Set(['Refused', 'Failed', 'Expired']);

/** What a person decides about a plan: to have it carried out, to give it up, or to make it anew. */
export function PlanDecision({ plan, onOther }: PlanDecisionProps): ReactElement {
  const { t } = useTranslation('cluster');
  const key = useClusterKey();
  const { phase } = phaseOf(plan);
  const cluster = useCluster();
  const isOutdated = isBehind(plan, cluster);
  const { mutate, isPending, error } = useMutation({ mutationFn: (what: () => Promise<unknown>) => what() });
  // As it was when somebody looked at it: one that was approved since is another version, which is not given up.
  const [rejected, setRejected] = useState<Plan>();
  const again = async (): Promise<void> => onOther((await repeatPlan(key, plan)).metadata.name);
  return (
    <>
      <Flex>
        {phase === 'Ready' && (
          <GuardedButton
            variant={plan.spec.destroy ? 'danger' : isOutdated ? 'secondary' : 'primary'}
            needs={{ verb: 'create', kind: KINDS.plan, subresource: 'approve' }}
            isLoading={isPending}
            onClick={() => mutate(() => approvePlan(plan))}
          >
            {t(plan.spec.destroy ? 'plan.approveDestroy' : 'plan.approve')}
          </GuardedButton>
        )}
        {REJECTABLE.has(phase) && (
          <GuardedButton
            variant="secondary"
            needs={{ verb: 'delete', kind: KINDS.plan }}
            onClick={() => setRejected(plan)}
          >
            {t('plan.reject')}
          </GuardedButton>
        )}
        {(REPEATABLE.has(phase) || isOutdated) && (
          <GuardedButton
            needs={{ verb: 'create', kind: KINDS.plan }}
            refusal={isRepeatable(plan, cluster) ? undefined : t('plan.anewAsYaml')}
            isLoading={isPending}
            onClick={() => mutate(again)}
          >
            {t('plan.again')}
          </GuardedButton>
        )}
      </Flex>
      <DeedError error={error} />
      {rejected && (
        <RejectDialog plan={rejected} onRejected={() => onOther(undefined)} onClose={() => setRejected(undefined)} />
      )}
    </>
  );
}

interface RejectDialogProps {
  readonly plan: Plan;
  readonly onRejected: () => void;
  readonly onClose: () => void;
}

/** Asks first: what was planned is gone with the plan. */
function RejectDialog({ plan, onRejected, onClose }: RejectDialogProps): ReactElement {
  const { t } = useTranslation('cluster');
  const { name } = plan.metadata;
  return (
    <DeedDialog
      isDanger
      title={t('plan.rejectTitle', { name })}
      submit={t('plan.rejectIt')}
      onSubmit={() => rejectPlan(plan).then(onRejected)}
      onClose={onClose}
    >
      <p>{t('plan.rejectBody', { cluster: plan.spec.clusterRef.name })}</p>
    </DeedDialog>
  );
}
