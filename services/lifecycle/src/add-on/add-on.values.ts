import type { AddOn, Manifest } from '@crate/api';
import { invalidSpec } from '@crate/errors';
import { jsonEqual, toCause, type FieldError } from '@crate/resource-server';
import { CompiledAddOn } from './add-on.content.js';
import type { ClusterFacts } from './add-on.facts.js';
import { atVersion, versionsOf, type AddOnRequest } from './add-on.versions.js';

/**
 * What is wrong with versions and values that a cluster states. What it has asked for `before` is not judged again: the catalogue may have
 * moved on since. What is not in the catalogue is for others to tell. Pure.
 */
export function requestErrors(
  asked: readonly AddOnRequest[],
  before: readonly AddOnRequest[],
  catalogue: ReadonlyMap<string, AddOn>,
): readonly FieldError[] {
  return asked.flatMap((request, index) => {
    const addOn = catalogue.get(request.name);
    const isNew = !before.some((old) => jsonEqual(old, request));
    return addOn && isNew ? errorsOf(request, index, addOn) : [];
  });
}

function errorsOf({ version, values, enabled }: AddOnRequest, index: number, addOn: AddOn): readonly FieldError[] {
  const path = ['spec', 'addOns', index];
  const chosen = atVersion(addOn, version);
  if (!chosen) {
    const detail = `must be a version that is kept: ${versionsOf(addOn).join(', ')}`;
    return [{ path: [...path, 'version'], value: version, reason: 'FieldValueInvalid', detail }];
  }
  // What is turned off needs no values; those that it was given are kept for when it is turned on again.
  if (enabled === false && values === undefined) return [];
  const { compiled } = CompiledAddOn.of(chosen.spec);
  const { ofValues, ofObjects } = compiled.mistakesOf(values, [...path, 'values']);
  if (ofValues.length > 0) return ofValues;
  return ofObjects.map(({ path: at, detail }): FieldError => {
    const where = `${addOn.metadata.name} ${chosen.spec.version} cannot be made of these values`;
    const message = `${where}: ${at.join('.')}: ${detail}`;
    return { path: [...path, 'values'], reason: 'FieldValueForbidden', detail: message };
  });
}

/** The objects of an add-on with the values of a cluster, and its facts. Throws InvalidSpec naming every value that does not fit. */
export function renderedManifests(
  addOn: AddOn,
  asked: readonly AddOnRequest[],
  facts: ClusterFacts,
): readonly Manifest[] {
  const { name } = addOn.metadata;
  const index = asked.findIndex((request) => request.name === name);
  const { compiled } = CompiledAddOn.of(addOn.spec);
  const { values, errors } = compiled.check(asked[index]?.values, ['spec', 'addOns', index, 'values']);
  const rendered = errors.length > 0 ? undefined : compiled.render(values, facts);
  const mistakes = [...errors, ...(rendered?.errors ?? [])].map(toCause);
  const [first] = mistakes;
  if (!first) return rendered?.manifests ?? [];
  const text = mistakes.map(({ field, message }) => `${field ?? ''}: ${message}`).join(', ');
  throw invalidSpec(`Values of add-on "${name}" do not fit its version ${addOn.spec.version}: ${text}`, mistakes, {
    reason: 'AddOnValuesInvalid',
    field: first.field ?? 'spec.addOns',
    remedy: `State values by its schema (kubectl get addon ${name} -o yaml), or stay on an earlier version of it`,
  });
}

/** Throws InvalidSpec for a stated version that the catalogue no longer keeps: nothing else is installed in its place. */
export function refuseForgotten(asked: readonly AddOnRequest[], catalogue: ReadonlyMap<string, AddOn>): void {
  for (const [index, { name, version }] of asked.entries()) {
    const addOn = catalogue.get(name);
    if (!addOn || version === undefined || atVersion(addOn, version)) continue;
    const field = `spec.addOns[${index}].version`;
    const message = `Version ${version} of add-on "${name}" is no longer kept; there are ${versionsOf(addOn).join(', ')}`;
    throw invalidSpec(message, [{ reason: 'FieldValueInvalid', field, message }], {
      reason: 'AddOnVersionNotFound',
      field,
      remedy: 'State a version that is kept, or none to get the newest',
    });
  }
}
