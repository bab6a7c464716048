import { Form } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useCreate } from './create-context.js';
import { ChoiceField } from '../../components/form/ChoiceField.js';
import { SwitchField } from '../../components/form/SwitchField.js';
import { VERSIONS } from './use-draft.js';

/** Which Kubernetes. */
export function KubernetesStep(): ReactElement {
  const { t } = useTranslation('create');
  const { draft } = useCreate();
  const isOfClass = draft.spec.classRef?.name !== undefined;
  return (
    <Form onSubmit={(event) => event.preventDefault()}>
      <ChoiceField
        path={['spec', 'kubernetes', 'version']}
        label={t('field.version')}
        help={t('help.version')}
        options={VERSIONS.map((version) => ({ value: version, text: version }))}
        none={t(isOfClass ? 'asTheClass' : 'choose')}
        isRequired={!isOfClass}
      />
      <SwitchField path={['spec', 'deletionProtection']} label={t('field.protection')} help={t('help.protection')} />
    </Form>
  );
}
