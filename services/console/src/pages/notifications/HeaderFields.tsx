import { Button, FormFieldGroup, FormFieldGroupHeader } from '@patternfly/react-core';
import { useId, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { TextField } from '../../components/form/fields.js';
import { useField } from '../../components/form/fields-context.js';

const PATH = ['spec', 'webhook', 'headers'];

/** Further headers of each request; their values are secrets. */
export function HeaderFields({ isNew }: { readonly isNew: boolean }): ReactElement {
  const { t } = useTranslation('notifications');
  const id = useId();
  const { value, set } = useField(PATH);
  const headers = (value ?? []) as readonly object[];
  const more = (
    <Button variant="secondary" size="sm" onClick={() => set([...headers, { name: '' }])}>
      {t('form.addHeader')}
    </Button>
  );
  return (
    <FormFieldGroup
      header={
        <FormFieldGroupHeader
          titleText={{ text: t('form.headers'), id }}
          titleDescription={t('form.headersHelp')}
          actions={more}
        />
      }
    >
      {headers.map((_, index) => (
        <HeaderField
          key={index}
          index={index}
          isNew={isNew}
          onRemove={() => set(headers.length === 1 ? undefined : headers.toSpliced(index, 1))}
        />
      ))}
    </FormFieldGroup>
  );
}

interface HeaderFieldProps {
  readonly index: number;
  readonly isNew: boolean;
  readonly onRemove: () => void;
}

function HeaderField({ index, isNew, onRemove }: HeaderFieldProps): ReactElement {
  const { t } = useTranslation('notifications');
  const number = { number: index + 1 };
  return (
    <>
      <TextField path={[...PATH, index, 'name']} label={t('form.headerName', number)} isRequired />
      <TextField
        path={[...PATH, index, 'value']}
        label={t('form.headerValue', number)}
        help={isNew ? undefined : t('form.headerKept')}
        isRequired={isNew}
        isSecret
      />
      <div>
        <Button variant="link" isInline isDanger onClick={onRemove}>
          {t('form.removeHeader', number)}
        </Button>
      </div>
    </>
  );
}
