import { Button, FormGroup, Stack, StackItem } from '@patternfly/react-core';
import { useId, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { TextField } from '../../components/form/TextField.js';
import { useField } from '../../components/form/fields-context.js';

const PATH = ['spec', 'webhook', 'headers'];

/** Further headers of each request; their values are secrets. */
export function HeaderFields({ isNew }: { readonly isNew: boolean }): ReactElement {
  const { t } = useTranslation('notifications');
  const id = useId();
  const { value, set } = useField(PATH);
  const headers = (value ?? []) as readonly object[];
  return (
    <FormGroup role="group" fieldId={id} label={t('form.headers')}>
      <Stack hasGutter>
        <StackItem>
          <small>{t('form.headersHelp')}</small>
        </StackItem>
        {headers.map((_, index) => (
          <StackItem key={index}>
            <HeaderField
              index={index}
              isNew={isNew}
              onRemove={() => set(headers.length === 1 ? undefined : headers.toSpliced(index, 1))}
            />
          </StackItem>
        ))}
        <StackItem>
          <Button variant="secondary" size="sm" onClick={() => set([...headers, { name: '' }])}>
            {t('form.addHeader')}
          </Button>
        </StackItem>
      </Stack>
    </FormGroup>
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
