import type { AddOn } from '@crate/api';
import { Button, Checkbox, Form, FormFieldGroup, FormFieldGroupHeader, FormGroup } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorState } from '../../components/ErrorState.js';
import { addOnSchema, addOnVersions } from '../../components/form/add-on-schema.js';
import { ChoiceField } from '../../components/form/ChoiceField.js';
import { SchemaFields } from '../../components/form/SchemaFields.js';
import { LoadingState } from '../../components/LoadingState.js';
import { addOnChoices, chosenOtherwise, type AddOnChoice } from './add-on-choices.js';
import { useCreate } from './create-context.js';
import type { DraftAddOn } from './draft.js';
import { useCatalogue } from './use-catalogue.js';
import { useProvider } from './use-accounts.js';

/** What is installed once nodes are ready. */
export function AddOnsStep(): ReactElement {
  const { t } = useTranslation('create');
  const stated = useCreate().draft.spec.addOns ?? [];
  const context = { provider: useProvider(), ofClass: useAddOnsOfClass() };
  const { data, error, refetch } = useCatalogue();
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <LoadingState />;
  if (data.items.length === 0) return <p>{t('noAddOns')}</p>;
  return (
    <Form onSubmit={(event) => event.preventDefault()}>
      <FormGroup role="group" isStack label={t('step.addOns')} fieldId="add-ons">
        {addOnChoices(data.items, stated, context).map((choice) => (
          <AddOnCheckbox key={choice.addOn.metadata.name} choice={choice} />
        ))}
      </FormGroup>
      {stated.map(({ name, enabled }, index) => {
        const addOn = data.items.find(({ metadata }) => metadata.name === name);
        return addOn && enabled !== false && <AddOnFields key={name} addOn={addOn} index={index} />;
      })}
    </Form>
  );
}

/** Add-ons that the class brings along, beside those that the draft stated when it was judged. */
function useAddOnsOfClass(): ReadonlySet<string> {
  const { judgement } = useCreate().live;
  if (!judgement?.isAllowed) return new Set();
  const stated = new Set(judgement.draft.spec.addOns?.map(({ name }) => name));
  const filled = judgement.cluster.spec.addOns.filter(({ enabled }) => enabled !== false);
  return new Set(filled.map(({ name }) => name).filter((name) => !stated.has(name)));
}

function AddOnCheckbox({ choice }: { readonly choice: AddOnChoice }): ReactElement {
  const { t } = useTranslation('create');
  const { draft, set } = useCreate();
  const { metadata, spec } = choice.addOn;
  const stated = draft.spec.addOns ?? [];
  const state = (next: readonly DraftAddOn[]): void => set(['spec', 'addOns'], next.length === 0 ? undefined : next);
  const isOpen = choice.isDefault && choice.isChosen && !stated.some(({ name }) => name === metadata.name);
  return (
    <Checkbox
      id={`add-on-${metadata.name}`}
      label={t('addOn', { name: spec.displayName, version: spec.version })}
      description={useAddOnFacts(choice)}
      isChecked={choice.isChosen}
      isDisabled={choice.isFixed}
      onChange={() => state(chosenOtherwise(stated, choice))}
      body={
        isOpen &&
        hasFields(choice.addOn, undefined) && (
          <Button variant="link" isInline onClick={() => state([...stated, { name: metadata.name }])}>
            {t('stateValues', { name: spec.displayName })}
          </Button>
        )
      }
    />
  );
}

function useAddOnFacts({ addOn, isDefault, isOfClass, isUnsuited, neededBy }: AddOnChoice): string {
  const { t } = useTranslation('create');
  const { description, dependsOn, providers = [] } = addOn.spec;
  const facts = [
    description,
    dependsOn.length > 0 && t('needs', { names: dependsOn.join(', ') }),
    isDefault && t('byDefault'),
    isOfClass && t('ofClass'),
    neededBy.length > 0 && t('neededBy', { names: neededBy.join(', ') }),
    isUnsuited && t('unsuited', { providers: providers.join(', ') }),
  ];
  return facts.filter((fact) => fact !== false).join(' · ');
}

function hasFields(addOn: AddOn, version: string | undefined): boolean {
  return addOnSchema(addOn, version) !== undefined || addOnVersions(addOn).length > 1;
}

/** Version and values of an add-on that was chosen. */
function AddOnFields({ addOn, index }: { readonly addOn: AddOn; readonly index: number }): ReactElement | null {
  const { t } = useTranslation('create');
  const { draft } = useCreate();
  const schema = addOnSchema(addOn, draft.spec.addOns?.[index]?.version);
  const versions = addOnVersions(addOn);
  if (!hasFields(addOn, draft.spec.addOns?.[index]?.version)) return null;
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
