import { isJsonObject } from '@crate/api';
import { Validator, type OutputUnit, type Schema } from '@cfworker/json-schema';
import type { TFunction } from 'i18next';
import { parseDocument, type Document } from 'yaml';
import { rangeOfField, rangeOfPath, type TextRange } from './field-path.js';
import type { FieldPath, JsonSchema } from './json-schema.js';
import { unknownFields } from './unknown-fields.js';
import type { EditorDiagnostic } from './yaml-editor-props.js';

/** Something wrong, or to be known, and where in the text. */
export interface Problem extends TextRange {
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
}

/** What a text is looked at with. */
export interface Inspection {
  readonly schema?: JsonSchema | undefined;
  readonly diagnostics: readonly EditorDiagnostic[];
  readonly t: TFunction;
}

/** Keywords whose findings only say that something below them was found, or that a field is unknown: that is told apart. */
const SKIPPED = new Set(['$ref', 'properties', 'items', 'additionalProperties', 'allOf', 'patternProperties', 'false']);

/** Everything to say about a text: how it is written, what the schema does not allow, and what the server said. */
export function problemsOf(text: string, { schema, diagnostics, t }: Inspection): readonly Problem[] {
  const document = parseDocument(text);
  const written = document.errors.map(({ pos: [from, to], message }): Problem => ({
    from,
    to,
    severity: 'error',
    message: firstLine(message),
  }));
  const said = diagnostics.map(({ field, message, severity = 'error' }): Problem => ({
    ...rangeOf(document, field),
    severity,
    message: field === undefined ? message : `${field}: ${message}`,
  }));
  const found = written.length === 0 && schema ? schemaProblems(document, schema, t) : [];
  // The schema and the server may say the same of one field; the server knows more.
  const answered = new Set(said.map(({ from }) => from));
  return [...written, ...found.filter(({ from }) => !answered.has(from)), ...said].toSorted((a, b) => a.from - b.from);
}

function rangeOf(document: Document.Parsed, field: string | undefined): TextRange {
  return field === undefined ? { from: 0, to: 0 } : rangeOfField(document, field);
}

function schemaProblems(document: Document.Parsed, schema: JsonSchema, t: TFunction): readonly Problem[] {
  const content: unknown = document.toJS();
  if (content === null || content === undefined) return [];
  // OpenAPI 3.0 speaks the dialect of draft 4.
  const { errors } = new Validator(schema as Schema, '4', false).validate(withoutNulls(content));
  const refused = errors
    .filter(({ keyword, keywordLocation }) => !SKIPPED.has(keyword) && !/\/(any|one)Of\//.test(keywordLocation))
    .map((unit) => ({ path: pathOf(unit), message: messageOf(unit, t) }));
  const unknown = unknownFields(schema, content).map(({ path, nearest }) => ({
    path,
    message: t(nearest === undefined ? 'schema.unknown' : 'schema.unknownNear', { field: path.at(-1), nearest }),
  }));
  return [...refused, ...unknown].map(({ path, message }) => ({
    ...rangeOfPath(document, path),
    severity: 'error',
    message,
  }));
}

/** As the server reads it: a field that is null is one that is not there, whatever its type. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const stated = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(stated.map(([key, member]) => [key, withoutNulls(member)]));
}

function pathOf({ instanceLocation }: OutputUnit): FieldPath {
  return instanceLocation
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** Our words for the keywords that people meet; the validator's own for the rest. */
function messageOf(unit: OutputUnit, t: TFunction): string {
  const { keyword, error } = unit;
  const words: Readonly<Record<string, () => string>> = {
    type: () => t('schema.type', { expected: part(error, /Expected (.*)\.$/).replaceAll('"', '') }),
    required: () => t('schema.required', { field: part(error, /"(.*)"/) }),
    enum: () => t('schema.enum', { values: part(error, /\[(.*)\]/).replaceAll(',', ', ') }),
    anyOf: () => t('schema.form'),
    oneOf: () => t('schema.form'),
  };
  return words[keyword]?.() ?? error;
}

function part(error: string, pattern: RegExp): string {
  return pattern.exec(error)?.[1] ?? '';
}

function firstLine(message: string): string {
  return message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? message;
}
