import { nearestName } from '@crate/api';
import { resolved, type FieldPath, type JsonSchema } from './json-schema.js';

/** A field for which the schema has no place. */
export interface UnknownField {
  readonly path: FieldPath;
  /** What was most likely meant, of what is not there yet. */
  readonly nearest?: string;
}

/** What an embedded object has besides what its schema says. */
const EMBEDDED = ['apiVersion', 'kind', 'metadata'];

/**
 * Fields that the server would refuse as unknown. Documents of Kubernetes do not close their objects: one with `properties`
 * is closed unless it says otherwise; one that says nothing of its fields is left alone. Pure.
 */
export function unknownFields(root: JsonSchema, content: unknown): readonly UnknownField[] {
  return below(root, formsOf(root, root), content, []);
}

function below(root: JsonSchema, forms: readonly JsonSchema[], value: unknown, path: FieldPath): UnknownField[] {
  if (Array.isArray(value)) {
    const items = forms.flatMap((form) => (form.items ? formsOf(root, form.items) : []));
    return value.flatMap((each: unknown, index) => below(root, items, each, [...path, index]));
  }
  if (typeof value !== 'object' || value === null) return [];
  const isClosed = forms.length > 0 && !forms.some(isOpen);
  return Object.entries(value).flatMap(([name, member]) => {
    const own = forms.flatMap((form) => memberOf(form, name)).flatMap((schema) => formsOf(root, schema));
    if (own.length > 0) return below(root, own, member, [...path, name]);
    return isClosed && !isEmbedded(forms, name) ? [unknown(forms, [...path, name], Object.keys(value))] : [];
  });
}

function unknown(forms: readonly JsonSchema[], path: FieldPath, taken: readonly string[]): UnknownField {
  const known = forms.flatMap(({ properties = {} }) => Object.keys(properties));
  const nearest = nearestName(
    String(path.at(-1)),
    known.filter((name) => !taken.includes(name)),
  );
  return nearest === undefined ? { path } : { path, nearest };
}

function memberOf({ properties, additionalProperties }: JsonSchema, name: string): readonly JsonSchema[] {
  if (properties && Object.hasOwn(properties, name)) return [properties[name] ?? {}];
  return typeof additionalProperties === 'object' ? [additionalProperties] : [];
}

/** All shapes that a value may have by a schema: of alternatives, each. */
function formsOf(root: JsonSchema, schema: JsonSchema): readonly JsonSchema[] {
  const own = resolved(root, schema);
  const { allOf = [], anyOf = [], oneOf = [] } = own;
  const others = [...allOf, ...anyOf, ...oneOf].flatMap((each) => formsOf(root, each));
  // Beside alternatives, and among them where they only require something, a schema may have no words for fields.
  const says = ({ properties, required }: JsonSchema): boolean => properties !== undefined || required === undefined;
  const isAlone = others.length === 0 || own.properties !== undefined;
  return [...(isAlone ? [own] : []), ...others.filter(says)];
}

function isOpen(form: JsonSchema): boolean {
  const { properties, additionalProperties } = form;
  if (form['x-kubernetes-preserve-unknown-fields'] === true) return true;
  if (additionalProperties !== undefined) return additionalProperties !== false;
  return properties === undefined;
}

function isEmbedded(forms: readonly JsonSchema[], name: string): boolean {
  return EMBEDDED.includes(name) && forms.some((form) => form['x-kubernetes-embedded-resource'] === true);
}
