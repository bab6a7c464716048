import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedDialog } from '../../components/access/DeedDialog.js';
import { TextField } from '../../components/subpages/TextField.js';
import { useProject } from './project-context.js';
import { saveDefaults } from './project-writes.js';

const FIELDS = ['accountRef', 'region', 'classRef'] as const;

/** Changes what new clusters get where they say nothing. */
export function DefaultsDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { t } = useTranslation('projects');
  const project = useProject();
  // As it was when the dialog opened: the change is refused when somebody else was quicker.
  const [opened] = useState(project);
  const { accountRef, region, classRef } = opened.spec.defaults;
  const [texts, setTexts] = useState({
    accountRef: accountRef?.name ?? '',
    region: region ?? '',
    classRef: classRef?.name ?? '',
  });
  return (
    <DeedDialog
      title={t('defaults.edit')}
      submit={t('defaults.save')}
      onSubmit={() => saveDefaults(opened, texts)}
      onClose={onClose}
    >
      <p>{t('defaults.help')}</p>
      {FIELDS.map((field) => (
        <TextField
          key={field}
          label={t(`defaults.${field}`)}
          value={texts[field]}
          onChange={(text) => setTexts((before) => ({ ...before, [field]: text }))}
        />
      ))}
    </DeedDialog>
  );
}
