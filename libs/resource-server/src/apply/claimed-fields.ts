import { isJsonObject, type JsonObject } from '@crate/api';
import { appliedFields } from './applied-fields.js';
import type { FieldSchema } from './field-schema.js';
import { FieldSet } from './field-set.js';
import { mergePatch } from '../patch/merge-patch.js';

/** What a patch states of `after`; nothing within lists, since a patch names all the items of one for the sake of any. */
export function claimedFields(patch: JsonObject, after: JsonObject, schema: FieldSchema): FieldSet {
  return withoutItems(appliedFields(patch, schema)).intersection(appliedFields(after, schema));
}

/** A JSON patch as the document of what it states. */
export function documentOf(operations: unknown): JsonObject {
  const stated = (Array.isArray(operations) ? operations : []).filter(isStatement);
  return stated.reduce<JsonObject>((document, { path, value }) => {
    const steps = path.split('/').slice(1);
    return mergePatch(document, placed(steps, value)) as JsonObject;
  }, {});
}

interface Statement {
  readonly path: string;
  readonly value: unknown;
}

/** What is written somewhere else than into a list. */
function isStatement(operation: unknown): operation is Statement {
  if (!isJsonObject(operation) || typeof operation['path'] !== 'string') return false;
  const isWritten = operation['op'] === 'add' || operation['op'] === 'replace';
  return isWritten && !/\/(\d+|-)(\/|$)/.test(operation['path']);
}

function placed(steps: readonly string[], value: unknown): unknown {
  return steps.reduceRight<unknown>((below, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    return { [name]: below };
  }, value);
}

function withoutItems(fields: FieldSet): FieldSet {
  const named = [...fields.entries()].filter(([element]) => element.startsWith('f:'));
  return FieldSet.fromEntries(named.map(([element, member, below]) => [element, member, withoutItems(below)]));
}
