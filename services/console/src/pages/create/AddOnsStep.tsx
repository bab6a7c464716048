import type { AddOn } from '@crate/api';
import { Checkbox, Form, FormFieldGroup, FormFieldGroupHeader, FormGroup } from '@patternfly/react-core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { apiJson } from '../../api/http.js';
import { collectionPath, KINDS } from '../../api/paths.js';
import { ErrorState } from '../../components/ErrorState.js';
import { addOnSchema, addOnVersions } from '../../components/form/add-on-schema.js';
import { ChoiceField } from '../../components/form/fields.js';
import { SchemaFields } from '../../components/form/SchemaFields.js';
import { LoadingState } from '../../components/LoadingState.js';
import { useCreate } from './create-context.js';

/** What is installed once nodes are ready. */
export function AddOnsStep(): ReactElement {
  const { t } = useTranslation('create');
  const stated = useCreate().draft.spec.addOns ?? [];
  const { data, error, refetch } = useQuery({
    queryKey: ['add-ons'],
    queryFn: ({ signal }) => apiJson<{ readonly items: readonly AddOn[] }>(collectionPath(KINDS.addOn), { signal }),
  });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <LoadingState />;
  if (data.items.length === 0) return <p>{t('noAddOns')}</p>;
  return (
    <Form onSubmit={(event) => event.preventDefault()}>
      <FormGroup role="group" isStack label={t('step.addOns')} fieldId="add-ons">
        {data.items.map((addOn) => (
          <AddOnChoice key={addOn.metadata.name} addOn={addOn} />
        ))}
      </FormGroup>
      {stated.map(({ name }, index) => {
        const addOn = data.items.find(({ metadata }) => metadata.name === name);
        return addOn && <AddOnFields key={name} addOn={addOn} index={index} />;
      })}
    </Form>
  );
}

function AddOnChoice({ addOn }: { readonly addOn: AddOn }): ReactElement {
  const { t } = useTranslation('create');
  const { draft, set, live } = useCreate();
  const { name } = addOn.metadata;
  const stated = draft.spec.addOns ?? [];
  const isStated = stated.some((each) => each.name === name);
  const filled = live.judgement?.isAllowed ? live.judgement.cluster.spec.addOns : [];
  const isOfClass = !isStated && filled.some((each) => each.name === name);
  const toggle = (): void => {
    const next = isStated ? stated.filter((each) => each.name !== name) : [...stated, { name }];
    set(['spec', 'addOns'], next.length === 0 ? undefined : next);
  };
  const facts = [
    addOn.spec.description,
    addOn.spec.dependsOn.length > 0 ? t('needs', { names: addOn.spec.dependsOn.join(', ') }) : undefined,
    isOfClass ? t('ofClass') : undefined,
  ].filter((fact) => fact !== undefined);
  return (
    <Checkbox
      id={`add-on-${name}`}
      label={t('addOn', { name: addOn.spec.displayName, version: addOn.spec.version })}
      description={facts.join(' · ')}
      isChecked={isStated || isOfClass}
      isDisabled={isOfClass}
      onChange={toggle}
    />
  );
}

/** Version and values of an add-on that was chosen. */
function AddOnFields({ addOn, index }: { readonly addOn: AddOn; readonly index: number }): ReactElement | null {
  const { t } = useTranslation('create');
  const { draft } = useCreate();
  const schema = addOnSchema(addOn, draft.spec.addOns?.[index]?.version);
  const versions = addOnVersions(addOn);
  if (!schema && versions.length === 1) return null;
  const path = ['spec', 'addOns', index];
  const titleText = { text: t('addOnValues', { name: addOn.spec.displayName }), id: `values-${addOn.metadata.name}` };
  return (
    <FormFieldGroup header={<FormFieldGroupHeader titleText={titleText} />}>
      {versions.length > 1 && (
        <ChoiceField
          path={[...path, 'version']}
          label={t('addOnVersion')}
          none={t('newest', { version: addOn.spec.version })}
          options={versions.map((value) => ({ value, text: value }))}
        />
      )}
      {schema && <SchemaFields schema={schema} path={[...path, 'values']} none={t('common:form.asUsual')} />}
    </FormFieldGroup>
  );
}
