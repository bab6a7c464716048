import type { KubeObject } from '@crate/api';
import { dataText, isData, type OutputFormat } from '../output/print.js';
import { JsonTemplate } from './json-template.js';
import type { ObjectFormat } from './object-format.js';

/** Objects as data; one by itself, several as a List. */
export function objectsText(
  format: Exclude<ObjectFormat, 'table' | 'wide'>,
  objects: readonly KubeObject[],
  { isOne, withManagedFields = false }: { readonly isOne: boolean; readonly withManagedFields?: boolean },
): string {
  if (format === 'name') return objects.map((object) => `${nameOf(object)}\n`).join('');
  const shown = (withManagedFields ? objects : objects.map(withoutManagedFields)).map(ordered);
  const value = isOne ? shown[0] : { apiVersion: 'v1', kind: 'List', metadata: {}, items: shown };
  return format instanceof JsonTemplate ? templateText(format, value) : dataText(format, value);
}

/** Prints one object, as it came of what was asked for, as data; or the line about it that people read, unless they were told. */
export function printObject(format: OutputFormat, object: KubeObject, line?: string): void {
  if (isData(format)) process.stdout.write(objectsText(format, [object], { isOne: true }));
  else if (line !== undefined) console.log(line);
}

/** A line of its own, unless it ends in one. */
function templateText(template: JsonTemplate, value: unknown): string {
  const text = template.render(value);
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** `cluster.lifecycle.crate.dev/demo`. */
export function nameOf({ apiVersion, kind, metadata }: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>): string {
  const [group = '', version] = apiVersion.split('/');
  const suffix = version === undefined ? '' : `.${group}`;
  return `${kind.toLowerCase()}${suffix}/${metadata.name}`;
}

/** Who owns which field is for the server; it hides what a person looks for. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Members in the order that people write them. */
export function ordered({
  apiVersion,
  kind,
  metadata,
  spec,
  ...rest
}: Omit<KubeObject, 'metadata'> & { readonly metadata: object }): object {
  return { apiVersion, kind, metadata, ...(spec === undefined ? {} : { spec }), ...rest };
}
