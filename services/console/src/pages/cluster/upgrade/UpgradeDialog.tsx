import type { Cluster, Plan } from '@crate/api';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../../api/paths.js';
import { DeedDialog } from '../../../components/access/DeedDialog.js';
import { DeedError } from '../../../components/access/DeedError.js';
import { Choice } from '../../../components/subpages/Choice.js';
import { GuardedButton } from '../access/GuardedButton.js';
import { ConsequencesPreview } from '../ConsequencesPreview.js';
import { jsonPatch, writeCluster, type ClusterChange } from '../dry-run.js';
import { createPlan } from '../plan/plan-writes.js';
import { useClusterKey } from '../use-cluster-key.js';
import { useDryRun } from '../use-dry-run.js';
import { upgradesOf } from './cluster-upgrades.js';

interface UpgradeDialogProps {
  readonly cluster: Cluster;
  readonly onClose: () => void;
}

/** Takes a cluster to another version of Kubernetes, after what that leads to was shown. */
export function UpgradeDialog({ cluster, onClose }: UpgradeDialogProps): ReactElement {
  const { t } = useTranslation('cluster');
  const key = useClusterKey();
  // As it was when the dialog opened: the change is refused when somebody else was quicker.
  const [opened] = useState(cluster);
  const { from = '', versions } = upgradesOf(opened);
  const [to, setTo] = useState(versions[0] ?? from);
  const change = upgradeTo(from, to);
  const { isSuccess, isPlaceholderData } = useDryRun(change);
  const running = opened.status?.version ?? from;
  return (
    <DeedDialog
      title={t('upgrade.title', { name: key.name })}
      submit={t('upgrade.submit', { to })}
      variant="medium"
      isReady={isSuccess && !isPlaceholderData}
      onSubmit={() => writeCluster(key, change)}
      onClose={onClose}
      otherwise={<PlanButton version={to} onMade={onClose} />}
    >
      <p>
        {t('upgrade.body', { from })} {running !== from && t('upgrade.under', { running, from })}
      </p>
      <Choice
        label={t('upgrade.version')}
        value={to}
        options={versions.map((value) => ({ value, text: value }))}
        onChange={setTo}
      />
      <ConsequencesPreview change={change} />
    </DeedDialog>
  );
}

interface PlanButtonProps {
  readonly version: string;
  readonly onMade: () => void;
}

/** Has it worked out resource by resource, to be approved later or by another person. */
function PlanButton({ version, onMade }: PlanButtonProps): ReactElement {
  const { t } = useTranslation('cluster');
  const key = useClusterKey();
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => createPlan(key, { changes: { kubernetes: { version } } }),
  });
  const show = ({ metadata }: Plan): void => {
    onMade();
    void navigate({ to: '/clusters/$project/$name/plan', params: key, search: { plan: metadata.name } } as never);
  };
  return (
    <>
      <GuardedButton
        variant="secondary"
        needs={{ verb: 'create', kind: KINDS.plan }}
        isLoading={isPending}
        // Who closed the dialog meanwhile is elsewhere.
        onClick={() => mutate(undefined, { onSuccess: show })}
      >
        {t('upgrade.plan')}
      </GuardedButton>
      <DeedError error={error} />
    </>
  );
}

/** Refused when somebody else asked for another version since the dialog was opened. */
function upgradeTo(from: string, to: string): ClusterChange {
  const path = '/spec/kubernetes/version';
  return jsonPatch([
    { op: 'test', path, value: from },
    { op: 'replace', path, value: to },
  ]);
}
