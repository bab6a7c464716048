import { TextArea } from '@patternfly/react-core';
import { useState, type ReactElement } from 'react';
import { inputProps, type FieldProps } from './field-input.js';
import { useField } from './fields-context.js';
import { LabelledField } from './LabelledField.js';

interface LinesFieldProps extends FieldProps {
  /** The value as lines, and back. */
  readonly toLines: (value: unknown) => readonly string[];
  readonly fromLines: (lines: readonly string[]) => unknown;
}

/** Several values, one a line; while it is typed in, lines stay as they are typed. */
export function LinesField({ toLines, fromLines, ...props }: LinesFieldProps): ReactElement {
  const field = useField(props.path);
  const [typed, setTyped] = useState<string>();
  const type = (text: string): void => {
    setTyped(text);
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    field.set(lines.length === 0 ? undefined : fromLines(lines));
  };
  return (
    <LabelledField {...props} field={field}>
      <TextArea
        {...inputProps(props, field)}
        autoResize
        resizeOrientation="vertical"
        value={typed ?? toLines(field.value).join('\n')}
        placeholder={toLines(field.filled).join('\n')}
        onBlur={() => setTyped(undefined)}
        onChange={(_event, text) => type(text)}
      />
    </LabelledField>
  );
}
