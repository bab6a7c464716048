import { FormSelect, FormSelectOption } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { inputProps, inputText, type FieldProps } from './field-input.js';
import { useField } from './fields-context.js';
import { LabelledField } from './LabelledField.js';

interface ChoiceFieldProps extends FieldProps {
  readonly options: readonly { readonly value: string; readonly text: string }[];
  /** Text of the choice that states nothing. */
  readonly none: string;
  readonly onChoice?: (value: string | undefined) => void;
}

/** One of some values; the first choice leaves it to the class or the default. */
export function ChoiceField(props: ChoiceFieldProps): ReactElement {
  const { path, options, none, onChoice } = props;
  const field = useField(path);
  const stated = inputText(field.value);
  const isKnown = stated === '' || options.some(({ value }) => value === stated);
  const choose = onChoice ?? field.set;
  return (
    <LabelledField {...props} field={field}>
      <FormSelect
        {...inputProps(props, field)}
        value={stated}
        onChange={(_event, value) => choose(value === '' ? undefined : value)}
      >
        <FormSelectOption value="" label={none} isPlaceholder />
        {!isKnown && <FormSelectOption value={stated} label={stated} />}
        {options.map(({ value, text }) => (
          <FormSelectOption key={value} value={value} label={text} />
        ))}
      </FormSelect>
    </LabelledField>
  );
}
