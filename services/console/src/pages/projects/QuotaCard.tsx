import {
  Card,
  CardBody,
  CardHeader,
  CardTitle,
  Progress,
  ProgressVariant,
  Stack,
  StackItem,
} from '@patternfly/react-core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../api/paths.js';
import { DeedButton } from '../../components/access/DeedButton.js';
import { DeedDialog } from '../../components/access/DeedDialog.js';
import { TextField } from '../../components/subpages/TextField.js';
import { useProject } from './project-context.js';
import { saveQuotas } from './project-writes.js';
import { QUOTAS, quotaOf, type Quota, type QuotaName } from './quota.js';

/** How much of its quotas the Project takes up; platform administrators change them. */
export function QuotaCard(): ReactElement {
  const { t } = useTranslation('projects');
  const project = useProject();
  const [isEditing, setEditing] = useState(false);
  const edit = (
    <DeedButton variant="secondary" needs={{ verb: 'create', kind: KINDS.project }} onClick={() => setEditing(true)}>
      {t('quota.edit')}
    </DeedButton>
  );
  return (
    <Card>
      <CardHeader hasWrap actions={{ actions: edit }}>
        <CardTitle component="h2">{t('quota.title')}</CardTitle>
      </CardHeader>
      <CardBody>
        <Stack hasGutter>
          {QUOTAS.map((what) => (
            <StackItem key={what}>
              <QuotaBar what={what} quota={quotaOf(project, what)} />
            </StackItem>
          ))}
        </Stack>
      </CardBody>
      {isEditing && <QuotaDialog onClose={() => setEditing(false)} />}
    </Card>
  );
}

function QuotaBar({ what, quota }: { readonly what: QuotaName; readonly quota: Quota }): ReactElement {
  const { t } = useTranslation('projects');
  const { used, limit, percent, isFull } = quota;
  if (limit === undefined || percent === undefined) {
    return (
      <>
        {t(`quota.${what}`)}: {t('quota.none', { used })}
      </>
    );
  }
  return (
    <Progress
      title={t(`quota.${what}`)}
      aria-label={t(`quota.${what}`)}
      value={percent}
      label={t('quota.used', { used, limit })}
      {...(isFull ? { variant: ProgressVariant.warning, helperText: t('quota.full') } : {})}
    />
  );
}

function QuotaDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { t } = useTranslation('projects');
  const project = useProject();
  // As it was when the dialog opened: the change is refused when somebody else was quicker.
  const [opened] = useState(project);
  const { quotas } = opened.spec;
  const [limits, setLimits] = useState<Readonly<Record<QuotaName, string>>>({
    clusters: String(quotas.clusters ?? ''),
    nodes: String(quotas.nodes ?? ''),
    vcpu: String(quotas.vcpu ?? ''),
  });
  // As text: a number input says '' for what it cannot read, which would take the limit away.
  const stated = (text: string): number | null => (text.trim() === '' ? null : Number(text));
  const submit = (): Promise<unknown> =>
    saveQuotas(opened, {
      clusters: stated(limits.clusters),
      nodes: stated(limits.nodes),
      vcpu: stated(limits.vcpu),
    });
  const isReady = QUOTAS.every((what) => isLimit(limits[what]));
  return (
    <DeedDialog title={t('quota.edit')} submit={t('quota.save')} isReady={isReady} onSubmit={submit} onClose={onClose}>
      <p>{t('quota.help')}</p>
      {QUOTAS.map((what) => (
        <TextField
          key={what}
          label={t(`quota.${what}`)}
          value={limits[what]}
          {...(isLimit(limits[what]) ? {} : { help: t('quota.digits') })}
          onChange={(text) => setLimits({ ...limits, [what]: text })}
        />
      ))}
    </DeedDialog>
  );
}

/** A number, or nothing. */
function isLimit(text: string): boolean {
  return /^\d*$/.test(text.trim());
}
