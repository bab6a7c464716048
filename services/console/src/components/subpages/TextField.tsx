import { FormGroup, FormHelperText, HelperText, HelperTextItem, TextArea, TextInput } from '@patternfly/react-core';
import { useId, type ReactElement } from 'react';

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly help?: string;
  readonly type?: 'text' | 'password' | 'date' | 'datetime-local';
  readonly isRequired?: boolean;
  readonly isLong?: boolean;
}

/** A labelled text to fill in, and what is meant by it. */
export function TextField(props: TextFieldProps): ReactElement {
  const { label, value, onChange, help, type = 'text', isRequired = false, isLong = false } = props;
  const id = useId();
  const described = help === undefined ? {} : { 'aria-describedby': `${id}-help` };
  const common = { id, value, isRequired, ...described };
  return (
    <FormGroup label={label} fieldId={id} isRequired={isRequired}>
      {isLong ? (
        <TextArea {...common} resizeOrientation="vertical" onChange={(_, text) => onChange(text)} />
      ) : (
        <TextInput {...common} type={type} autoComplete="off" onChange={(_, text) => onChange(text)} />
      )}
      {help !== undefined && (
        <FormHelperText>
          <HelperText>
            <HelperTextItem id={`${id}-help`}>{help}</HelperTextItem>
          </HelperText>
        </FormHelperText>
      )}
    </FormGroup>
  );
}
