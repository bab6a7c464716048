import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedDialog } from '../../components/access/DeedDialog.js';
import { Choice } from '../../components/subpages/Choice.js';
import { TextField } from '../../components/subpages/TextField.js';
import { createAccount, type AccountWish } from './project-writes.js';

const PROVIDERS = ['aws', 'sandbox-aws'] as const;

interface AddAccountDialogProps {
  readonly project: string;
  readonly onClose: () => void;
}

/** Adds an account at a cloud; its credentials never come back to the page. */
export function AddAccountDialog({ project, onClose }: AddAccountDialogProps): ReactElement {
  const { t } = useTranslation('projects');
  const [provider, setProvider] = useState<AccountWish['provider']>('aws');
  const [texts, setTexts] = useState({ name: '', accountId: '', keyId: '', secret: '', boundary: '' });
  const field = (name: keyof typeof texts): { value: string; onChange: (text: string) => void } => ({
    value: texts[name],
    onChange: (text) => setTexts((before) => ({ ...before, [name]: text })),
  });
  const isAws = provider === 'aws';
  const { name, accountId, keyId, secret, boundary } = texts;
  return (
    <DeedDialog
      title={t('account.addTitle')}
      submit={t('account.addSubmit')}
      isReady={name !== '' && (!isAws || [accountId, keyId, secret].every((text) => text !== ''))}
      onSubmit={() => createAccount(project, { provider, name, accountId, keyId, secret, boundary })}
      onClose={onClose}
    >
      <TextField label={t('account.name')} help={t('account.nameHelp')} isRequired {...field('name')} />
      <Choice
        label={t('account.provider')}
        value={provider}
        options={PROVIDERS.map((value) => ({ value, text: t(`account.${value}`) }))}
        onChange={(chosen) => setProvider(chosen as AccountWish['provider'])}
      />
      <TextField
        label={t('account.number')}
        help={t('account.numberHelp')}
        isRequired={isAws}
        {...field('accountId')}
      />
      <TextField label={t('account.accessKeyId')} isRequired={isAws} {...field('keyId')} />
      <TextField
        type="password"
        label={t('account.secretAccessKey')}
        help={t('account.secretHelp')}
        isRequired={isAws}
        {...field('secret')}
      />
      {isAws && <TextField label={t('account.boundary')} help={t('account.boundaryHelp')} {...field('boundary')} />}
    </DeedDialog>
  );
}
