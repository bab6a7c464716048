import { TextArea } from '@patternfly/react-core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { inputProps, type FieldProps } from './field-input.js';
import { useField, type FieldState } from './fields-context.js';
import { LabelledField } from './LabelledField.js';
import { isOfLines, statedBy, type Lines } from './lines.js';

interface LinesFieldProps extends FieldProps, Pick<Lines, 'toLines' | 'fromLines'> {}

/** Several values, one a line; those that are none are left to the YAML. */
export function LinesField(props: LinesFieldProps): ReactElement {
  const { t } = useTranslation();
  const field = useField(props.path);
  if (!isOfLines(props, field.value)) return <p>{t('common:form.inYaml', { name: props.label })}</p>;
  return <LinesInput {...props} field={field} />;
}

/** While it is typed in, lines stay as they are typed. */
function LinesInput({ field, ...props }: LinesFieldProps & { readonly field: FieldState }): ReactElement {
  const { toLines } = props;
  const [typed, setTyped] = useState<string>();
  const type = (text: string): void => {
    setTyped(text);
    field.set(statedBy(props, text));
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
