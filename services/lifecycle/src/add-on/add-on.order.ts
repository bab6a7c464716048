import type { AddOn } from '@crate/api';
import { invalidSpec } from '@crate/errors';

/**
 * The add-ons asked for and everything they depend on, dependencies first; ties in the order asked for.
 * Throws InvalidSpec naming an add-on the catalogue lacks, or the circle that dependencies make.
 */
export function installationOrder(asked: readonly string[], catalogue: ReadonlyMap<string, AddOn>): AddOn[] {
  const order: AddOn[] = [];
  const placed = new Set<string>();

  const place = (name: string, path: readonly string[]): void => {
    if (placed.has(name)) return;
    if (path.includes(name)) throw broken(`Add-ons depend on each other in a circle: ${[...path, name].join(' -> ')}`);
    const addOn = catalogue.get(name);
    if (!addOn) throw broken(unknownMessage(name, path, catalogue));
    for (const dependency of addOn.spec.dependsOn) place(dependency, [...path, name]);
    placed.add(name);
    order.push(addOn);
  };

  for (const name of asked) place(name, []);
  return order;
}

function unknownMessage(name: string, path: readonly string[], catalogue: ReadonlyMap<string, AddOn>): string {
  const known = [...catalogue.keys()].sort().join(', ') || 'none';
  const via = path.length > 0 ? ` (needed by "${path.at(-1)}")` : '';
  return `Add-on "${name}"${via} is not in the catalogue; known: ${known}`;
}

function broken(message: string): Error {
  return invalidSpec(message, [{ reason: 'FieldValueInvalid', field: 'spec.addOns', message }], {
    reason: 'AddOnNotFound',
    field: 'spec.addOns',
    remedy: 'Ask for add-ons of the catalogue only: kubectl get addons',
  });
}
