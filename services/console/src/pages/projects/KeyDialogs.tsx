import type { ApiKey, ProjectRole } from '@crate/api';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedDialog } from '../../components/access/DeedDialog.js';
import { Choice } from '../../components/subpages/Choice.js';
import { TextField } from '../../components/subpages/TextField.js';
import { ROLES } from './AddMemberDialog.js';
import { useProject } from './project-context.js';
import { createKey, issueToken, revokeKey } from './project-writes.js';
import type { ShownToken } from './TokenDialog.js';

interface IssueProps {
  readonly onIssued: (token: ShownToken) => void;
  readonly onClose: () => void;
}

/** Makes a key and has its token issued. When only the token fails, the key stands, and is asked for no more. */
export function CreateKeyDialog({ onIssued, onClose }: IssueProps): ReactElement {
  const { t } = useTranslation('projects');
  const { name: project } = useProject().metadata;
  const [made, setMade] = useState<string>();
  const [wish, setWish] = useState<KeyWish>({ name: '', description: '', role: 'viewer', lifetime: '' });
  const submit = async (): Promise<void> => {
    const name = made ?? wish.name;
    if (made === undefined) {
      await createKey(project, name, specOf(wish));
      setMade(name);
    }
    onIssued(shownOf(name, await issueToken(project, name)));
  };
  return (
    <DeedDialog
      title={t('key.createTitle')}
      submit={t(made === undefined ? 'key.submit' : 'key.renew')}
      isReady={wish.name !== ''}
      onSubmit={submit}
      onClose={onClose}
    >
      {made === undefined ? <KeyFields wish={wish} onChange={setWish} /> : <p>{t('key.made', { name: made })}</p>}
    </DeedDialog>
  );
}

/** What a person fills in for a new key; empty texts say nothing. */
interface KeyWish {
  readonly name: string;
  readonly description: string;
  readonly role: ProjectRole;
  readonly lifetime: string;
}

function specOf({ role, description, lifetime }: KeyWish): Partial<ApiKey['spec']> {
  return {
    role,
    ...(description === '' ? {} : { description }),
    ...(lifetime === '' ? {} : { lifetime }),
  };
}

interface KeyFieldsProps {
  readonly wish: KeyWish;
  readonly onChange: (wish: KeyWish) => void;
}

function KeyFields({ wish, onChange }: KeyFieldsProps): ReactElement {
  const { t } = useTranslation('projects');
  const { name, description, role, lifetime } = wish;
  const set = (change: Partial<KeyWish>): void => onChange({ ...wish, ...change });
  return (
    <>
      <TextField label={t('key.name')} isRequired value={name} onChange={(text) => set({ name: text })} />
      <TextField label={t('key.description')} value={description} onChange={(text) => set({ description: text })} />
      <Choice
        label={t('key.role')}
        value={role}
        options={ROLES.map((value) => ({ value, text: t(`member.${value}`) }))}
        onChange={(value) => set({ role: value as ProjectRole })}
      />
      <TextField
        label={t('key.lifetime')}
        help={t('key.lifetimeHelp')}
        value={lifetime}
        onChange={(text) => set({ lifetime: text })}
      />
    </>
  );
}

/** Has another token issued in place of the one before. */
export function RenewKeyDialog({ apiKey, onIssued, onClose }: IssueProps & { readonly apiKey: ApiKey }): ReactElement {
  const { t } = useTranslation('projects');
  const { name, namespace = '' } = apiKey.metadata;
  const [overlap, setOverlap] = useState('');
  const submit = async (): Promise<void> =>
    onIssued(shownOf(name, await issueToken(namespace, name, overlap === '' ? undefined : overlap)));
  return (
    <DeedDialog title={t('key.renewTitle', { name })} submit={t('key.renew')} onSubmit={submit} onClose={onClose}>
      <p>{t('key.renewBody')}</p>
      <TextField label={t('key.overlap')} help={t('key.overlapHelp')} value={overlap} onChange={setOverlap} />
    </DeedDialog>
  );
}

/** Ends a key for good. */
export function RevokeKeyDialog({
  apiKey,
  onClose,
}: {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}): ReactElement {
  const { t } = useTranslation('projects');
  const { name } = apiKey.metadata;
  return (
    <DeedDialog
      isDanger
      title={t('key.revokeTitle', { name })}
      submit={t('key.revoke')}
      onSubmit={() => revokeKey(apiKey)}
      onClose={onClose}
    >
      <p>{t('key.revokeBody')}</p>
    </DeedDialog>
  );
}

function shownOf(name: string, { status }: Awaited<ReturnType<typeof issueToken>>): ShownToken {
  return { name, token: status.token, expiresAt: status.expirationTimestamp };
}
