import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedDialog } from '../../components/access/DeedDialog.js';
import { Choice } from '../../components/subpages/Choice.js';
import { TextField } from '../../components/subpages/TextField.js';
import { ALLOW_LISTS, editedList, writtenList, type AllowList, type EditedList } from './allow-lists.js';
import { useProject } from './project-context.js';
import { saveAllowed } from './project-writes.js';

/** Changes what clusters may use, list by list. */
export function AllowedDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { t } = useTranslation('projects');
  const project = useProject();
  // As it was when the dialog opened: the change is refused when somebody else was quicker.
  const [opened] = useState(project);
  const { allowed } = opened.spec;
  const [lists, setLists] = useState<Readonly<Record<AllowList, EditedList>>>({
    accounts: editedList(allowed.accounts),
    regions: editedList(allowed.regions),
    machineTypes: editedList(allowed.machineTypes),
    classes: editedList(allowed.classes),
  });
  return (
    <DeedDialog
      title={t('allowed.edit')}
      submit={t('allowed.save')}
      onSubmit={() =>
        saveAllowed(opened, {
          accounts: writtenList(lists.accounts),
          regions: writtenList(lists.regions),
          machineTypes: writtenList(lists.machineTypes),
          classes: writtenList(lists.classes),
        })
      }
      onClose={onClose}
    >
      <p>{t('allowed.help')}</p>
      {ALLOW_LISTS.map((list) => (
        <ListField
          key={list}
          list={list}
          value={lists[list]}
          onChange={(value) => setLists((before) => ({ ...before, [list]: value }))}
        />
      ))}
    </DeedDialog>
  );
}

interface ListFieldProps {
  readonly list: AllowList;
  readonly value: EditedList;
  readonly onChange: (value: EditedList) => void;
}

function ListField({ list, value, onChange }: ListFieldProps): ReactElement {
  const { t } = useTranslation('projects');
  const name = t(`allowed.${list}`);
  return (
    <>
      <Choice
        label={t('allowed.howMuch', { list: name })}
        value={value.isAll ? 'all' : 'some'}
        options={[
          { value: 'all', text: t('allowed.all') },
          { value: 'some', text: t('allowed.some') },
        ]}
        onChange={(chosen) => onChange({ ...value, isAll: chosen === 'all' })}
      />
      {!value.isAll && (
        <TextField
          label={t('allowed.entries', { list: name })}
          isLong
          help={t('allowed.entriesHelp')}
          value={value.lines}
          onChange={(lines) => onChange({ ...value, lines })}
        />
      )}
    </>
  );
}
