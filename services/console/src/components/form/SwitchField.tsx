import { Switch } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { helpId, inputId, type FieldProps } from './field-input.js';
import { useField } from './fields-context.js';
import { LabelledField } from './LabelledField.js';

interface SwitchFieldProps extends FieldProps {
  /** What it is while nobody states it. */
  readonly isUsuallyOn?: boolean;
}

/** Yes or no. */
export function SwitchField({ isUsuallyOn = false, ...props }: SwitchFieldProps): ReactElement {
  const { path, label } = props;
  const field = useField(path);
  return (
    <LabelledField {...props} field={field} canReset>
      <Switch
        id={inputId(path)}
        aria-label={label}
        aria-describedby={helpId(path)}
        isChecked={(field.value ?? field.filled ?? isUsuallyOn) === true}
        onChange={(_event, isOn) => field.set(isOn)}
      />
    </LabelledField>
  );
}
