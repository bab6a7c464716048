import {
  Button,
  FormGroup,
  FormHelperText,
  FormSelect,
  FormSelectOption,
  HelperText,
  HelperTextItem,
  Switch,
  TextArea,
  TextInput,
} from '@patternfly/react-core';
import type { TFunction } from 'i18next';
import { useId, useState, type ReactElement, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { fieldOf, type DocumentPath } from './document-path.js';
import { useField, type FieldState } from './fields-context.js';

interface FieldProps {
  readonly path: DocumentPath;
  readonly label: string;
  readonly help?: string | undefined;
  readonly isRequired?: boolean;
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

interface LabelledFieldProps extends FieldProps {
  readonly field: FieldState;
  /** Whether the empty text may be stated, which says something else than nothing does. */
  readonly mayBeEmpty?: boolean;
  /** Whether the input itself cannot take back what is stated. */
  readonly canReset?: boolean;
  readonly children: ReactNode;
}

/** A label, an input, and below it what is wrong with what was typed, or what it is for. */
function Field(props: LabelledFieldProps): ReactElement {
  const { path, label, help, isRequired = false, field, children, mayBeEmpty = false, canReset = mayBeEmpty } = props;
  const isOffered = field.value === undefined ? mayBeEmpty : canReset && !isRequired;
  const { t } = useTranslation();
  const id = idOf(path);
  const helps = [help, stateOf(field, t)].filter(Boolean);
  return (
    <FormGroup
      label={label}
      fieldId={id}
      isRequired={isRequired}
      {...(isOffered ? { labelInfo: <FieldDeed label={label} field={field} /> } : {})}
    >
      {children}
      <FormHelperText>
        <HelperText id={`${id}-help`} isLiveRegion>
          {field.errors.map((message) => (
            <HelperTextItem key={message} variant="error">
              {message}
            </HelperTextItem>
          ))}
          {field.errors.length === 0 && helps.length > 0 && <HelperTextItem>{helps.join(' ')}</HelperTextItem>}
        </HelperText>
      </FormHelperText>
    </FormGroup>
  );
}

interface TextFieldProps extends FieldProps {
  /** Can be chosen from and need not be. */
  readonly suggestions?: readonly string[];
  readonly isSecret?: boolean;
  /** Whether it may have several lines. */
  readonly isLong?: boolean;
  /** Whether the empty text says something else than nothing does. */
  readonly mayBeEmpty?: boolean;
}

/** What an empty input says. */
function stateOf({ value, filled }: FieldState, t: TFunction): string | undefined {
  if (value === '') return t('form.isEmpty');
  if (value !== undefined || filled === undefined) return undefined;
  return t('form.filledIn', { value: JSON.stringify(filled).replaceAll('"', '') });
}

/** A text; of several lines where it has or may have them, since an input of one line drops the breaks. */
export function TextField(props: TextFieldProps): ReactElement {
  const { path, suggestions = [], isSecret = false, isLong = false, isRequired = false } = props;
  const field = useField(path);
  const list = useId();
  const shared = {
    id: idOf(path),
    isRequired,
    value: asText(field.value),
    placeholder: asText(field.filled),
    validated: field.errors.length > 0 ? ('error' as const) : ('default' as const),
    'aria-describedby': `${idOf(path)}-help`,
    onChange: (_event: unknown, text: string) => field.set(text === '' ? undefined : text),
  };
  if (useLatched(isLong || shared.value.includes('\n'))) {
    return (
      <Field {...props} field={field}>
        <TextArea {...shared} rows={1} autoResize resizeOrientation="vertical" spellCheck={false} />
      </Field>
    );
  }
  return (
    <Field {...props} field={field}>
      <TextInput
        {...shared}
        type={isSecret ? 'password' : 'text'}
        autoComplete="off"
        {...(suggestions.length > 0 ? { list } : {})}
      />
      {suggestions.length > 0 && (
        <datalist id={list}>
          {suggestions.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </Field>
  );
}

/** True from the first time on: a field does not become another one under the hand. */
function useLatched(now: boolean): boolean {
  const [was, setWas] = useState(now);
  if (now && !was) setWas(true);
  return now || was;
}

/** A whole number; empty is what the class or the default says. */
export function NumberField(
  props: FieldProps & {
    readonly min?: number | undefined;
    readonly max?: number | undefined;
    readonly step?: number | 'any';
  },
): ReactElement {
  const { path, isRequired = false, min, max, step } = props;
  const field = useField(path);
  return (
    <Field {...props} field={field}>
      <TextInput
        id={idOf(path)}
        type="number"
        inputMode="numeric"
        isRequired={isRequired}
        value={asText(field.value)}
        placeholder={asText(field.filled)}
        min={min}
        max={max}
        step={step}
        validated={field.errors.length > 0 ? 'error' : 'default'}
        aria-describedby={`${idOf(path)}-help`}
        onChange={(_event, text) => field.set(text === '' ? undefined : Number(text))}
      />
    </Field>
  );
}

/** One of some values; the first choice leaves it to the class or the default. */
export function ChoiceField(
  props: FieldProps & {
    readonly options: readonly { readonly value: string; readonly text: string }[];
    /** Text of the choice that states nothing. */
    readonly none: string;
    readonly onChoice?: (value: string | undefined) => void;
  },
): ReactElement {
  const { path, isRequired = false, options, none, onChoice } = props;
  const field = useField(path);
  const stated = asText(field.value);
  const isKnown = stated === '' || options.some(({ value }) => value === stated);
  const choose = onChoice ?? field.set;
  return (
    <Field {...props} field={field}>
      <FormSelect
        id={idOf(path)}
        isRequired={isRequired}
        value={stated}
        validated={field.errors.length > 0 ? 'error' : 'default'}
        aria-describedby={`${idOf(path)}-help`}
        onChange={(_event, value) => choose(value === '' ? undefined : value)}
      >
        <FormSelectOption value="" label={none} isPlaceholder />
        {!isKnown && <FormSelectOption value={stated} label={stated} />}
        {options.map(({ value, text }) => (
          <FormSelectOption key={value} value={value} label={text} />
        ))}
      </FormSelect>
    </Field>
  );
}

interface SwitchFieldProps extends FieldProps {
  /** What it is while nobody states it. */
  readonly isUsuallyOn?: boolean;
}

/** Yes or no. */
export function SwitchField({ isUsuallyOn = false, ...props }: SwitchFieldProps): ReactElement {
  const { path, label } = props;
  const field = useField(path);
  return (
    <Field {...props} field={field} canReset>
      <Switch
        id={idOf(path)}
        aria-label={label}
        aria-describedby={`${idOf(path)}-help`}
        isChecked={(field.value ?? field.filled ?? isUsuallyOn) === true}
        onChange={(_event, isOn) => field.set(isOn)}
      />
    </Field>
  );
}

interface LinesFieldProps extends FieldProps {
  /** The value as lines, and back. */
  readonly toLines: (value: unknown) => readonly string[];
  readonly fromLines: (lines: readonly string[]) => unknown;
}

/** Several values, one a line; while it is typed in, lines stay as they are typed. */
export function LinesField({ toLines, fromLines, ...props }: LinesFieldProps): ReactElement {
  const { path, isRequired = false } = props;
  const field = useField(path);
  const [typed, setTyped] = useState<string>();
  return (
    <Field {...props} field={field}>
      <TextArea
        id={idOf(path)}
        isRequired={isRequired}
        autoResize
        resizeOrientation="vertical"
        value={typed ?? toLines(field.value).join('\n')}
        placeholder={toLines(field.filled).join('\n')}
        validated={field.errors.length > 0 ? 'error' : 'default'}
        aria-describedby={`${idOf(path)}-help`}
        onBlur={() => setTyped(undefined)}
        onChange={(_event, text) => {
          setTyped(text);
          const lines = text.split('\n').filter((line) => line.trim() !== '');
          field.set(lines.length === 0 ? undefined : fromLines(lines));
        }}
      />
    </Field>
  );
}

function idOf(path: DocumentPath): string {
  return fieldOf(path).replaceAll(/[^\w]+/g, '-');
}

function asText(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
}
