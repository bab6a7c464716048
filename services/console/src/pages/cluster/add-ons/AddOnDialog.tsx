import type { AddOn } from '@crate/api';
import { useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../api/api-error.js';
import { DeedDialog } from '../../../components/access/DeedDialog.js';
import { addOnSchema, addOnVersions } from '../../../components/form/add-on-schema.js';
import { fieldOf, isWithin, valueAt, withValue, type DocumentPath } from '../../../components/form/document-path.js';
import { ChoiceField } from '../../../components/form/ChoiceField.js';
import { FieldsProvider, type FieldState } from '../../../components/form/fields-context.js';
import { SchemaFields } from '../../../components/form/SchemaFields.js';
import { useSettled } from '../../../components/form/use-settled.js';
import { useCluster } from '../cluster-context.js';
import { ConsequencesPreview } from '../ConsequencesPreview.js';
import { writeCluster } from '../dry-run.js';
import { useClusterKey } from '../use-cluster-key.js';
import { useDryRun } from '../use-dry-run.js';
import { requestChange, requestField } from './add-on-change.js';
import type { AddOnRequest, AddOnRow } from './add-on-rows.js';

interface AddOnDialogProps {
  readonly row: AddOnRow;
  readonly addOn: AddOn;
  readonly deed: 'install' | 'configure' | 'upgrade';
  readonly onClose: () => void;
}

/** Version and values of an add-on as a form made from its schema; what they lead to is shown as they are filled in. */
export function AddOnDialog({ row, addOn, deed, onClose }: AddOnDialogProps): ReactElement {
  const { t } = useTranslation('cluster');
  const key = useClusterKey();
  // As it was when the dialog opened: the change is refused when somebody else was quicker.
  const [{ spec }] = useState(useCluster());
  const [request, setRequest] = useState(() => beginning(row, addOn, deed));
  const settled = useSettled(request);
  const change = useMemo(() => requestChange(spec, settled), [spec, settled]);
  const { error } = useDryRun(change);
  const causes = error instanceof ApiError ? error.causes : [];
  const prefix = requestField(spec, row.name);
  const stateOf = (path: DocumentPath): FieldState => {
    const value = valueAt(request, path);
    // Nobody is told at once of what they did not come to yet: the preview says it.
    const own = value === undefined ? [] : causes;
    return {
      value,
      filled: undefined,
      errors: own
        .filter(({ field = '' }) => isWithin(field, `${prefix}.${fieldOf(path)}`))
        .map(({ message }) => message),
      set: (next) => setRequest(withValue(request, path, next)),
    };
  };
  const schema = addOnSchema(addOn, request.version);
  const named = { name: row.name, version: addOn.spec.version };
  return (
    <DeedDialog
      title={t(`addOns.${deed}Of`, named)}
      submit={t(`addOns.${deed}`)}
      variant="medium"
      onSubmit={() => writeCluster(key, requestChange(spec, request))}
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
      <ConsequencesPreview change={change} />
    </DeedDialog>
  );
}

/** A cluster that stayed on a version goes on staying, on the newest; what was left out is not any more. */
function beginning({ name, request }: AddOnRow, { spec }: AddOn, deed: AddOnDialogProps['deed']): AddOnRequest {
  const stated = request === undefined || request.enabled === false ? { name } : request;
  return deed === 'upgrade' ? { ...stated, version: spec.version } : stated;
}
