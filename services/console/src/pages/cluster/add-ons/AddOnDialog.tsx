import type { AddOn } from '@crate/api';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedDialog } from '../../../components/access/DeedDialog.js';
import { addOnSchema, addOnVersions } from '../../../components/form/add-on-schema.js';
import { ChoiceField } from '../../../components/form/ChoiceField.js';
import { FieldsProvider } from '../../../components/form/fields-context.js';
import { SchemaFields } from '../../../components/form/SchemaFields.js';
import { ConsequencesPreview } from '../ConsequencesPreview.js';
import type { AddOnRow } from './add-on-rows.js';
import { useAddOnDraft, type DraftedDeed } from './use-add-on-draft.js';

interface AddOnDialogProps {
  readonly row: AddOnRow;
  readonly addOn: AddOn;
  readonly deed: DraftedDeed;
  readonly onClose: () => void;
}

/** Version and values of an add-on as a form made from its schema; what they lead to is shown as they are filled in. */
export function AddOnDialog({ row, addOn, deed, onClose }: AddOnDialogProps): ReactElement {
  const { t } = useTranslation('cluster');
  const { request, settled, stateOf, write } = useAddOnDraft(row, addOn, deed);
  const schema = addOnSchema(addOn, request.version);
  const named = { name: row.name, version: addOn.spec.version };
  return (
    <DeedDialog
      title={t(`addOns.${deed}Of`, named)}
      submit={t(`addOns.${deed}`)}
      variant="medium"
      onSubmit={write}
      onClose={onClose}
    >
      <p>{addOn.spec.description}</p>
      <FieldsProvider value={stateOf}>
        <ChoiceField
          path={['version']}
          label={t('addOns.version')}
          help={t('addOns.versionHelp')}
          none={t('addOns.newest', named)}
          options={addOnVersions(addOn).map((value) => ({ value, text: value }))}
        />
        {schema && <SchemaFields schema={schema} path={['values']} none={t('common:form.asUsual')} />}
      </FieldsProvider>
      <ConsequencesPreview change={settled} />
    </DeedDialog>
  );
}
