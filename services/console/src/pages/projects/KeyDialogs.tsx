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

/** Makes a key and has its token issued. When only the token fails, the key stands, and a token can be had again. */
export function CreateKeyDialog({ onIssued, onClose }: IssueProps): ReactElement {
  const { t } = useTranslation('projects');
  const { name: project } = useProject().metadata;
  const [isMade, setMade] = useState(false);
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [role, setRole] = useState<ProjectRole>('viewer');
  const [lifetime, setLifetime] = useState('');
  const submit = async (): Promise<void> => {
    if (!isMade) {
      await createKey(project, name, {
        role,
        ...(description === '' ? {} : { description }),
        ...(lifetime === '' ? {} : { lifetime }),
      });
      setMade(true);
    }
    onIssued(shownOf(name, await issueToken(project, name)));
  };
  return (
    <DeedDialog
      title={t('key.createTitle')}
      submit={t('key.submit')}
      isReady={name !== ''}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label={t('key.name')} isRequired value={name} onChange={setName} />
      <TextField label={t('key.description')} value={description} onChange={setDescription} />
      <Choice
        label={t('key.role')}
        value={role}
        options={ROLES.map((value) => ({ value, text: t(`member.${value}`) }))}
        onChange={(value) => setRole(value as ProjectRole)}
      />
      <TextField label={t('key.lifetime')} help={t('key.lifetimeHelp')} value={lifetime} onChange={setLifetime} />
    </DeedDialog>
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
