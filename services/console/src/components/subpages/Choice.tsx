import { FormGroup, FormSelect, FormSelectOption } from '@patternfly/react-core';
import { useId, type ReactElement } from 'react';

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly onChange: (value: string) => void;
}

/** One of a few, with its label above. */
export function Choice({ label, value, options, onChange }: ChoiceProps): ReactElement {
  const id = useId();
  return (
    <FormGroup label={label} fieldId={id}>
      <FormSelect id={id} value={value} onChange={(_, chosen) => onChange(chosen)}>
        {options.map((option) => (
          <FormSelectOption key={option.value} value={option.value} label={option.text} />
        ))}
      </FormSelect>
    </FormGroup>
  );
}
