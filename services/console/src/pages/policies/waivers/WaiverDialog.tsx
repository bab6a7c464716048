import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedDialog } from '../../../components/access/DeedDialog.js';
import { TextField } from '../../../components/subpages/TextField.js';
import { askForWaiver } from './waiver-view.js';

const EMPTY = { name: '', policies: '', clusters: '', fields: '', reason: '', expiresAt: '', ticket: '' };

interface WaiverDialogProps {
  readonly project: string;
  /** Rule that it is asked for, to begin with. */
  readonly rule: string | undefined;
  readonly onClose: () => void;
}

/** Asks that rules need not hold somewhere for a time. */
export function WaiverDialog({ project, rule = '', onClose }: WaiverDialogProps): ReactElement {
  const { t } = useTranslation('policies');
  const [form, setForm] = useState({ ...EMPTY, name: rule, policies: rule });
  const field = (name: keyof typeof EMPTY): { label: string; value: string; onChange: (text: string) => void } => ({
    label: t(`waivers.form.${name}`),
    value: form[name],
    onChange: (text) => setForm({ ...form, [name]: text }),
  });
  const { name, policies, clusters, fields, reason, expiresAt, ticket } = form;
  const submit = (): Promise<unknown> =>
    askForWaiver(project, name, {
      policies: listOf(policies),
      ...(listOf(clusters).length === 0 ? {} : { clusters: listOf(clusters) }),
      ...(listOf(fields).length === 0 ? {} : { fields: listOf(fields) }),
      reason,
      expiresAt: `${expiresAt}T23:59:59Z`,
      ...(ticket === '' ? {} : { ticket }),
    });
  return (
    <DeedDialog
      title={t('waivers.form.title')}
      submit={t('waivers.form.submit')}
      variant="medium"
      isReady={[name, policies, reason, expiresAt].every((text) => text.trim() !== '')}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField {...field('name')} isRequired />
      <TextField {...field('policies')} help={t('waivers.form.policiesHelp')} isRequired />
      <TextField {...field('clusters')} help={t('waivers.form.clustersHelp')} />
      <TextField {...field('fields')} help={t('waivers.form.fieldsHelp')} />
      <TextField {...field('reason')} help={t('waivers.form.reasonHelp')} isRequired isLong />
      <TextField {...field('expiresAt')} type="date" help={t('waivers.form.expiresHelp')} isRequired />
      <TextField {...field('ticket')} />
    </DeedDialog>
  );
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
