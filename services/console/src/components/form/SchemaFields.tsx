import { FormFieldGroup, FormFieldGroupHeader } from '@patternfly/react-core';
import { useId, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { resolved, type JsonSchema } from '../yaml-editor/json-schema.js';
import type { DocumentPath } from './document-path.js';
import { useField } from './fields-context.js';
import { ChoiceField } from './ChoiceField.js';
import { LinesField } from './LinesField.js';
import { NumberField } from './NumberField.js';
import { SwitchField } from './SwitchField.js';
import { TextField } from './TextField.js';
import { listLines, mapLines } from './lines.js';

interface SchemaFieldsProps {
  /** Of an object. */
  readonly schema: JsonSchema;
  /** Where the object stands. */
  readonly path: DocumentPath;
  /** The choice that leaves an optional one out. */
  readonly none: string;
}

/** The members of an object as fields of a form, made from their schema. */
export function SchemaFields({ schema, path, none }: SchemaFieldsProps): ReactElement {
  return (
    <>
      {membersOf(schema).map(([name, property]) => (
        <SchemaField
          key={name}
          name={name}
          schema={property}
          path={[...path, name]}
          isRequired={schema.required?.includes(name) ?? false}
          none={none}
        />
      ))}
    </>
  );
}

interface SchemaFieldProps extends SchemaFieldsProps {
  readonly name: string;
  readonly isRequired: boolean;
}

function SchemaField({ name, schema, path, isRequired, none }: SchemaFieldProps): ReactElement {
  const { t } = useTranslation();
  const usual = typeof schema.default === 'boolean' ? t(`form.is.${schema.default}`) : usualOf(schema);
  const help = [schema.description, usual && t('form.usually', { value: usual })].filter(Boolean).join(' · ');
  const shared = { path, label: schema.title ?? name, help, isRequired };
  if (!schema.enum) return <Typed schema={schema} shared={shared} none={none} />;
  return <MemberField {...shared} members={schema.enum} none={isRequired ? t('form.choose') : none} />;
}

interface MemberFieldProps extends Shared {
  readonly members: readonly unknown[];
  readonly none: string;
}

/** One of the values that a schema lists: a number or a yes stays one, though a browser chooses among texts. */
function MemberField({ members, ...shared }: MemberFieldProps): ReactElement {
  const { set } = useField(shared.path);
  const byText = new Map(members.map((member) => [String(member), member]));
  const options = [...byText.keys()].map((text) => ({ value: text, text }));
  const choose = (text: string | undefined): void =>
    set(text !== undefined && byText.has(text) ? byText.get(text) : text);
  return <ChoiceField {...shared} options={options} onChoice={choose} />;
}

interface Shared {
  readonly path: DocumentPath;
  readonly label: string;
  readonly help: string;
  readonly isRequired: boolean;
}

interface TypedProps {
  readonly schema: JsonSchema;
  readonly shared: Shared;
  readonly none: string;
}

/** The input for a type; what no input fits can be stated in the YAML. */
function Typed({ schema, shared, none }: TypedProps): ReactElement {
  const { t } = useTranslation();
  switch (schema.type) {
    case 'boolean':
      return <SwitchField {...shared} isUsuallyOn={schema.default === true} />;
    case 'integer':
    case 'number':
      return (
        <NumberField
          {...shared}
          min={schema.minimum}
          max={schema.maximum}
          {...(schema.type === 'number' ? { step: 'any' as const } : {})}
        />
      );
    case 'string':
      return (
        <TextField
          {...shared}
          isSecret={isSecret(schema)}
          isLong={mayHaveLines(schema)}
          mayBeEmpty={mayBeEmpty(schema)}
        />
      );
    case 'object':
      if (schema.properties) return <Group schema={schema} shared={shared} none={none} />;
      break;
    default:
  }
  const lines = listLines(schema) ?? mapLines(schema);
  if (!lines) return <p>{t('form.inYaml', { name: shared.label })}</p>;
  const help = [shared.help, t(`form.${lines.form}`)].filter(Boolean).join(' · ');
  return <LinesField {...shared} {...lines} help={help} />;
}

/** An object within: fields below a heading of their own. */
function Group({ schema, shared: { label, path }, none }: TypedProps): ReactElement {
  const id = useId();
  return (
    <FormFieldGroup
      header={
        <FormFieldGroupHeader
          titleText={{ text: label, id }}
          {...(schema.description === undefined ? {} : { titleDescription: schema.description })}
        />
      }
    >
      <SchemaFields schema={schema} path={path} none={none} />
    </FormFieldGroup>
  );
}

/** Longer than any name or address is a text, such as a bundle of certificates. */
const LONG_TEXT = 1_000;

function isSecret({ format, writeOnly = false }: JsonSchema): boolean {
  return format === 'password' || writeOnly;
}

/** Whether nothing says that it is one line. Secrets are one as long as they have no break: they are not to be read. */
function mayHaveLines(schema: JsonSchema): boolean {
  const { default: byDefault, format, pattern, maxLength = LONG_TEXT } = schema;
  if (typeof byDefault === 'string' && byDefault.includes('\n')) return true;
  return format === undefined && pattern === undefined && maxLength >= LONG_TEXT && !isSecret(schema);
}

/** Whether the empty text is another value than the usual one, and nothing says that it is none. */
function mayBeEmpty({ default: byDefault = '', format, pattern, minLength = 0 }: JsonSchema): boolean {
  return byDefault !== '' && format === undefined && pattern === undefined && minLength === 0;
}

function usualOf({ default: byDefault, type }: JsonSchema): string | undefined {
  if (byDefault === undefined || byDefault === '' || type === 'object') return undefined;
  return typeof byDefault === 'string' ? byDefault : JSON.stringify(byDefault);
}

/** What must be stated first, groups last; the API does not keep the order in which somebody wrote a schema. */
function membersOf(schema: JsonSchema): readonly (readonly [name: string, member: JsonSchema])[] {
  const rank = (name: string, { properties }: JsonSchema): number => {
    if (properties) return 2;
    return schema.required?.includes(name) ? 0 : 1;
  };
  return Object.entries(schema.properties ?? {})
    .map(([name, member]) => [name, resolved(schema, member)] as const)
    .toSorted(
      ([left, first], [right, second]) =>
        rank(left, first) - rank(right, second) || (first.title ?? left).localeCompare(second.title ?? right),
    );
}
