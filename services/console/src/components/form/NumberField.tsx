import { TextInput } from '@patternfly/react-core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { inputProps, inputText, type FieldProps } from './field-input.js';
import { useField } from './fields-context.js';
import { LabelledField } from './LabelledField.js';
import { hasTooManyDigits, typedNumber } from './typed-number.js';

interface NumberFieldProps extends FieldProps {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly step?: number | 'any';
}

/** A number, whole unless `step` says otherwise; empty is what the class or the default says. */
export function NumberField(props: NumberFieldProps): ReactElement {
  const { path, min, max, step } = props;
  const { t } = useTranslation();
  const stated = useField(path);
  const field = hasTooManyDigits(stated.value) ? { ...stated, errors: [t('common:form.tooManyDigits')] } : stated;
  const [typed, setTyped] = useState('');
  // On the way to 1.05 there is 1.0, which is 1: what was typed stays for as long as it means what is stated.
  const isTyped = typed !== '' && Number(typed) === field.value;
  return (
    <LabelledField {...props} field={field}>
      <TextInput
        {...inputProps(props, field)}
        type="number"
        inputMode={keysFor(props)}
        value={isTyped ? typed : inputText(field.value)}
        placeholder={inputText(field.filled)}
        min={min}
        max={max}
        step={step}
        onChange={(_event, text) => {
          setTyped(text);
          field.set(text === '' ? undefined : typedNumber(text));
        }}
      />
    </LabelledField>
  );
}

/** The keys of a phone: those for numbers have no minus, and those for whole ones no point. */
function keysFor({ min = -Infinity, step }: NumberFieldProps): 'numeric' | 'decimal' | 'text' {
  if (min < 0) return 'text';
  return step === 'any' ? 'decimal' : 'numeric';
}
