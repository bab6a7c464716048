import type { Tooltip, EditorView } from '@codemirror/view';
import type { TFunction } from 'i18next';
import { parseDocument } from 'yaml';
import { typeText } from './completion.js';
import { pathAtOffset } from './field-path.js';
import { schemaAt, type JsonSchema } from './json-schema.js';

/** Says what the field under the pointer is for. */
export function describeAt(schema: JsonSchema, view: EditorView, offset: number, t: TFunction): Tooltip | null {
  const path = pathAtOffset(parseDocument(view.state.doc.toString()), offset);
  const here = path && schemaAt(schema, path);
  if (!path || !here) return null;
  const word = view.state.wordAt(offset);
  return {
    pos: word?.from ?? offset,
    end: word?.to ?? offset,
    create: () => ({ dom: descriptionOf(path.filter((step) => typeof step === 'string').join('.'), here, t) }),
  };
}

function descriptionOf(name: string, schema: JsonSchema, t: TFunction): HTMLElement {
  const box = document.createElement('div');
  box.className = 'crate-hover';
  box.append(line('strong', `${name}: ${typeText(schema)}`));
  if (schema.description !== undefined) box.append(line('p', schema.description));
  const facts = [
    schema.default === undefined ? undefined : t('hover.default', { value: JSON.stringify(schema.default) }),
    schema.enum && t('hover.oneOf', { values: schema.enum.join(', ') }),
    schema.minimum === undefined ? undefined : t('hover.atLeast', { value: schema.minimum }),
    schema.maximum === undefined || schema.maximum >= Number.MAX_SAFE_INTEGER
      ? undefined
      : t('hover.atMost', { value: schema.maximum }),
  ].filter((fact) => fact !== undefined);
  if (facts.length > 0) box.append(line('p', facts.join(' · ')));
  return box;
}

function line(tag: 'strong' | 'p', text: string): HTMLElement {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}
