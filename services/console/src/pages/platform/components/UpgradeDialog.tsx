import type { Component } from '@crate/api';
import { FormGroup, FormSelect, FormSelectOption, TextInput } from '@patternfly/react-core';
import { useQuery } from '@tanstack/react-query';
import { useId, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedDialog } from '../../../components/access/DeedDialog.js';
import { ErrorState } from '../../../components/ErrorState.js';
import { LoadingState } from '../../../components/LoadingState.js';
import { planUpgrade, upgradeAll } from './component-writes.js';
import { UpgradePlanView } from './UpgradePlanView.js';

interface UpgradeDialogProps {
  readonly components: readonly Component[];
  /** To choose from, the newest first; at least one. */
  readonly versions: readonly string[];
  readonly onClose: () => void;
}

/** Shows what a version leads to, and asks all services for it once the person typed it. */
export function UpgradeDialog({ components, versions, onClose }: UpgradeDialogProps): ReactElement {
  const { t } = useTranslation('platform');
  const [to, setTo] = useState(versions[0] ?? '');
  const [typed, setTyped] = useState('');
  const plan = useQuery({
    queryKey: ['upgrade-plan', to],
    queryFn: ({ signal }) => planUpgrade(to, signal),
    staleTime: 0,
  });
  const isRefused = plan.data?.steps.some(({ problems }) => problems.some(({ effect }) => effect === 'Refused'));
  return (
    <DeedDialog
      title={t('upgrade.title')}
      submit={t('upgrade.submit')}
      variant="large"
      isReady={plan.data !== undefined && isRefused === false && typed === to}
      onSubmit={async () => plan.data && upgradeAll(plan.data, components)}
      onClose={onClose}
    >
      <VersionChoice {...{ versions, to }} onChange={setTo} />
      {plan.isPending && <LoadingState />}
      {plan.error && <ErrorState error={plan.error} onRetry={() => void plan.refetch()} />}
      {plan.data && <UpgradePlanView plan={plan.data} />}
      {isRefused === false && <Confirmation {...{ to, typed }} onChange={setTyped} />}
    </DeedDialog>
  );
}

interface VersionChoiceProps {
  readonly versions: readonly string[];
  readonly to: string;
  readonly onChange: (version: string) => void;
}

function VersionChoice({ versions, to, onChange }: VersionChoiceProps): ReactElement {
  const { t } = useTranslation('platform');
  const id = useId();
  return (
    <FormGroup label={t('upgrade.version')} fieldId={id}>
      <FormSelect id={id} value={to} onChange={(_, version) => onChange(version)}>
        {versions.map((version) => (
          <FormSelectOption key={version} value={version} label={version} />
        ))}
      </FormSelect>
    </FormGroup>
  );
}

interface ConfirmationProps {
  readonly to: string;
  readonly typed: string;
  readonly onChange: (text: string) => void;
}

function Confirmation({ to, typed, onChange }: ConfirmationProps): ReactElement {
  const { t } = useTranslation('platform');
  const id = useId();
  return (
    <FormGroup label={t('upgrade.type', { version: to })} fieldId={id}>
      <TextInput id={id} value={typed} autoComplete="off" spellCheck={false} onChange={(_, text) => onChange(text)} />
    </FormGroup>
  );
}
