import { TextArea, TextInput } from '@patternfly/react-core';
import { useId, useState, type ReactElement } from 'react';
import { inputProps, inputText, type FieldProps } from './field-input.js';
import { useField } from './fields-context.js';
import { LabelledField } from './LabelledField.js';

interface TextFieldProps extends FieldProps {
  /** Can be chosen from and need not be. */
  readonly suggestions?: readonly string[];
  readonly isSecret?: boolean;
  /** Whether it may have several lines. */
  readonly isLong?: boolean;
  /** Whether the empty text says something else than nothing does. */
  readonly mayBeEmpty?: boolean;
}

/** A text; of several lines where it has or may have them, since an input of one line drops the breaks. */
export function TextField(props: TextFieldProps): ReactElement {
  const { path, suggestions = [], isSecret = false, isLong = false } = props;
  const field = useField(path);
  const list = useId();
  const shared = {
    ...inputProps(props, field),
    value: inputText(field.value),
    placeholder: inputText(field.filled),
    onChange: (_event: unknown, text: string) => field.set(text === '' ? undefined : text),
  };
  if (useLatched(isLong || shared.value.includes('\n'))) {
    return (
      <LabelledField {...props} field={field}>
        <TextArea {...shared} rows={1} autoResize resizeOrientation="vertical" spellCheck={false} />
      </LabelledField>
    );
  }
  return (
    <LabelledField {...props} field={field}>
      <TextInput
        {...shared}
        type={isSecret ? 'password' : 'text'}
        autoComplete="off"
        {...(suggestions.length > 0 ? { list } : {})}
      />
      {suggestions.length > 0 && <Suggestions id={list} texts={suggestions} />}
    </LabelledField>
  );
}

function Suggestions({ id, texts }: { readonly id: string; readonly texts: readonly string[] }): ReactElement {
  return (
    <datalist id={id}>
      {texts.map((each) => (
        <option key={each} value={each} />
      ))}
    </datalist>
  );
}

/** True from the first time on: a field does not become another one under the hand. */
function useLatched(now: boolean): boolean {
  const [was, setWas] = useState(now);
  if (now && !was) setWas(true);
  return now || was;
}
