import { Button, FormGroup, FormHelperText, HelperText, HelperTextItem } from '@patternfly/react-core';
import type { TFunction } from 'i18next';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { helpId, inputId, type FieldProps } from './field-input.js';
import type { FieldState } from './fields-context.js';

interface LabelledFieldProps extends FieldProps {
  readonly field: FieldState;
  /** Whether the empty text may be stated, which says something else than nothing does. */
  readonly mayBeEmpty?: boolean;
  /** Whether the input itself cannot take back what is stated. */
  readonly canReset?: boolean;
  readonly children: ReactNode;
}

/** A label, an input, and below it what is wrong with what was typed, or what it is for. */
export function LabelledField(props: LabelledFieldProps): ReactElement {
  const { path, label, isRequired = false, field, children, mayBeEmpty = false, canReset = mayBeEmpty } = props;
  const isOffered = field.value === undefined ? mayBeEmpty : canReset && !isRequired;
  return (
    <FormGroup
      label={label}
      fieldId={inputId(path)}
      isRequired={isRequired}
      {...(isOffered ? { labelInfo: <FieldDeed label={label} field={field} /> } : {})}
    >
      {children}
      <FieldHelp {...props} />
    </FormGroup>
  );
}

/** What an input cannot say: nothing at all any more, and the empty text. */
function FieldDeed({ label, field }: { readonly label: string; readonly field: FieldState }): ReactElement {
  const { t } = useTranslation();
  const isStated = field.value !== undefined;
  const deed = t(isStated ? 'form.reset' : 'form.leaveEmpty');
  return (
    <Button
      variant="link"
      isInline
      size="sm"
      aria-label={t('form.deedAt', { deed, label })}
      onClick={() => field.set(isStated ? undefined : '')}
    >
      {deed}
    </Button>
  );
}

function FieldHelp({ path, help, field }: LabelledFieldProps): ReactElement {
  const { t } = useTranslation();
  const helps = [help, stateOf(field, t)].filter(Boolean);
  return (
    <FormHelperText>
      <HelperText id={helpId(path)} isLiveRegion>
        {field.errors.map((message) => (
          <HelperTextItem key={message} variant="error">
            {message}
          </HelperTextItem>
        ))}
        {field.errors.length === 0 && helps.length > 0 && <HelperTextItem>{helps.join(' ')}</HelperTextItem>}
      </HelperText>
    </FormHelperText>
  );
}

/** What an empty input says. */
function stateOf({ value, filled }: FieldState, t: TFunction): string | undefined {
  if (value === '') return t('form.isEmpty');
  if (value !== undefined || filled === undefined) return undefined;
  return t('form.filledIn', { value: JSON.stringify(filled).replaceAll('"', '') });
}
