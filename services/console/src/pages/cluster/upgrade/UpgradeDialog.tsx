import type { Cluster } from '@crate/api';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ComponentProps, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../../api/paths.js';
import { DeedDialog } from '../../../components/access/DeedDialog.js';
import { Choice } from '../../../components/subpages/Choice.js';
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
  const planning = usePlanning(to);
  const running = opened.status?.version ?? from;
  return (
    <DeedDialog
      title={t('upgrade.title', { name: key.name })}
      submit={t('upgrade.submit', { to })}
      variant="medium"
      isReady={isSuccess && !isPlaceholderData}
      onSubmit={() => writeCluster(key, change)}
      onClose={onClose}
      otherwise={planning}
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

/** Has it worked out resource by resource, to be approved later or by another person. */
function usePlanning(version: string): ComponentProps<typeof DeedDialog>['otherwise'] {
  const { t } = useTranslation('cluster');
  const key = useClusterKey();
  const navigate = useNavigate();
  return {
    words: t('upgrade.plan'),
    needs: { verb: 'create', kind: KINDS.plan, namespace: key.project },
    onSubmit: async () => {
      const { metadata } = await createPlan(key, { changes: { kubernetes: { version } } });
      const search = { plan: metadata.name };
      return () => void navigate({ to: '/clusters/$project/$name/plan', params: key, search } as never);
    },
  };
}

/** Refused when somebody else asked for another version since the dialog was opened. */
function upgradeTo(from: string, to: string): ClusterChange {
  const path = '/spec/kubernetes/version';
  return jsonPatch([
    { op: 'test', path, value: from },
    { op: 'replace', path, value: to },
  ]);
}
