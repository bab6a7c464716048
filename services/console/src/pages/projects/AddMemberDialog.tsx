import type { ProjectRole } from '@crate/api';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedDialog } from '../../components/access/DeedDialog.js';
import { Choice } from '../../components/subpages/Choice.js';
import { TextField } from '../../components/subpages/TextField.js';
import { useProject } from './project-context.js';
import { saveMembers } from './project-writes.js';

/** Each includes the one before. */
export const ROLES: readonly ProjectRole[] = ['viewer', 'operator', 'admin'];
const KINDS_OF_MEMBERS = ['User', 'Group'] as const;

/** Lets a person or a group in. */
export function AddMemberDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { t } = useTranslation('projects');
  const project = useProject();
  const [kind, setKind] = useState<(typeof KINDS_OF_MEMBERS)[number]>('User');
  const [name, setName] = useState('');
  const [role, setRole] = useState<ProjectRole>('viewer');
  const { members } = project.spec;
  // Their role is changed where it is seen, not by a role that nobody chose here.
  const present = members.find((each) => each.kind === kind && each.name === name);
  return (
    <DeedDialog
      title={t('member.addTitle')}
      submit={t('member.add')}
      isReady={name !== '' && !present}
      onSubmit={() => saveMembers(project, [...members, { kind, name, role }])}
      onClose={onClose}
    >
      <Choice
        label={t('member.kind')}
        value={kind}
        options={KINDS_OF_MEMBERS.map((value) => ({ value, text: t(`member.${value}`) }))}
        onChange={(value) => setKind(value as typeof kind)}
      />
      <TextField
        label={t('member.name')}
        help={present ? t('member.present', { name, role: t(`member.short.${present.role}`) }) : t('member.nameHelp')}
        isRequired
        value={name}
        onChange={setName}
      />
      <Choice
        label={t('member.role')}
        value={role}
        options={ROLES.map((value) => ({ value, text: t(`member.${value}`) }))}
        onChange={(value) => setRole(value as ProjectRole)}
      />
    </DeedDialog>
  );
}
