import { CLUSTER, isJsonObject } from '@crate/api';
import { kindInfoOf, type JsonSchema } from '@crate/resource-server';
import { IMMUTABLE_FIELDS } from '../cluster/cluster.immutable.js';

/** A step into a spec: a field, or the item of a list by its name. */
export type SpecStep = string | { readonly item: string };

/** A path into a Cluster's spec, items of node pools and add-ons by name. */
export type SpecPath = readonly SpecStep[];

/** Lists whose items are merged by name; every other list is one value. */
export const NAMED_LISTS: ReadonlySet<string> = new Set(['nodePools', 'addOns']);

const IMMUTABLE: ReadonlySet<string> = new Set(IMMUTABLE_FIELDS);

/** The path for people, such as `nodePools[workers].labels[tier]`. */
export function formatSpecPath(path: SpecPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step !== 'string') return `${text}[${step.item}]`;
    if (!/^\w+$/.test(step)) return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

/** The path that a person wrote; undefined when it is none. `[*]` stands for every item. */
export function parseSpecPath(text: string): SpecPath | undefined {
  if (!/^\w+(\[[^\][]+\])*(\.\w+(\[[^\][]+\])*)*$/.test(text)) return undefined;
  const steps = text.match(/\w+(?![^[]*\])|\[[^\][]+\]/g) ?? [];
  return steps.map((step, index): SpecStep => {
    if (!step.startsWith('[')) return step;
    const name = step.slice(1, -1);
    return NAMED_LISTS.has(steps[index - 1] ?? '') ? { item: name } : name;
  });
}

/** True when `path` is what `pattern` names, or below it. */
export function isWithin(path: SpecPath, pattern: SpecPath): boolean {
  return pattern.length <= path.length && pattern.every((step, index) => fits(path[index], step));
}

function fits(step: SpecStep | undefined, pattern: SpecStep): boolean {
  if (typeof pattern === 'string' || step === undefined || typeof step === 'string') return step === pattern;
  return pattern.item === '*' || pattern.item === step.item;
}

export function isImmutable(path: SpecPath): boolean {
  return IMMUTABLE.has(formatSpecPath(path));
}

const SPEC_SCHEMA = (kindInfoOf(CLUSTER).schema.properties as Record<string, JsonSchema>)['spec'] as JsonSchema;

/** The schema of a field of a Cluster's spec; undefined when there is no such field. */
export function schemaAt(path: SpecPath): JsonSchema | undefined {
  return path.reduce<JsonSchema | undefined>((schema, step) => {
    if (typeof step !== 'string') return schema?.items;
    const named = schema?.properties?.[step];
    if (named) return named;
    return isJsonObject(schema?.additionalProperties) ? schema.additionalProperties : undefined;
  }, SPEC_SCHEMA);
}
