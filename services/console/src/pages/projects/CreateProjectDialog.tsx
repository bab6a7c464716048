import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedDialog } from '../../components/access/DeedDialog.js';
import { TextField } from '../../components/subpages/TextField.js';
import { createProject } from './project-writes.js';

/** Makes a Project; who belongs to it and what it may use is said on its page. */
export function CreateProjectDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { t } = useTranslation('projects');
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [description, setDescription] = useState('');
  const submit = async (): Promise<void> => {
    await createProject(name, {
      ...(displayName === '' ? {} : { displayName }),
      ...(description === '' ? {} : { description }),
    });
    await navigate({ to: '/projects/$name/overview', params: { name } } as never);
  };
  return (
    <DeedDialog
      title={t('new.title')}
      submit={t('new.submit')}
      isReady={name !== ''}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label={t('new.name')} help={t('new.nameHelp')} isRequired value={name} onChange={setName} />
      <TextField label={t('new.displayName')} value={displayName} onChange={setDisplayName} />
      <TextField label={t('new.description')} isLong value={description} onChange={setDescription} />
    </DeedDialog>
  );
}
