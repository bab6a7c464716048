import type { KubeObject } from '@crate/api';
import { badRequest, hasCode } from '@crate/errors';
import type { JsonPath } from '../objects/json-path.js';
import { listObjects, listTable, objectTable, type Selection } from '../objects/lists.js';
import { objectsText } from '../objects/object-output.js';
import type { ObjectFormat } from '../objects/object-format.js';
import { fullName, objectPathOf, ServedKinds, type ServedKind } from '../objects/served-kinds.js';
import { AS_TABLE, TableText, type ServerTable, type TableOptions } from '../objects/server-table.js';
import { sortedBy } from '../objects/sorting.js';
import { targetsOf, type Target } from '../objects/targets.js';
import { endWithReader } from '../output/reader.js';
import { watchChanges } from '../objects/watch.js';
import { Failures } from '../output/failures.js';
import { isAbsence } from '../client/absence.js';
import type { ApiClient } from '../client/api-client.js';
import { contextOf } from '../client/context.js';
import type { ApiOptions, NamespaceOption } from '../commands/api-options.js';

/** What a person says besides what is to be shown. */
export interface GetOptions extends ApiOptions, NamespaceOption {
  readonly allNamespaces?: true;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly watch?: true;
  readonly sortBy?: JsonPath;
  readonly output: ObjectFormat;
  readonly headers: boolean;
  readonly showLabels?: true;
  readonly showManagedFields?: true;
  readonly ignoreNotFound?: true;
}

/** What one `get` works with. */
interface Scope {
  readonly api: ApiClient;
  readonly namespace: string;
  readonly options: GetOptions;
  readonly failures: Failures;
}

interface Followed {
  readonly kind: ServedKind;
  readonly text: TableText;
  readonly table: ServerTable;
  readonly selection: Selection;
}

/** Shows what is named. */
export async function get(what: readonly string[], options: GetOptions): Promise<void> {
  const { api, namespace } = await contextOf(options);
  const targets = targetsOf(await ServedKinds.load(api), what);
  const scope = { api, namespace, options, failures: new Failures() };
  if (options.watch && options.sortBy)
    throw badRequest('Changes come in their own order: give -w or --sort-by, not both');
  if (options.watch) return watch(scope, targets);
  await (isTable(options.output) ? showTables(scope, targets) : showObjects(scope, targets));
  scope.failures.settle();
}

function isTable(format: ObjectFormat): format is 'table' | 'wide' {
  return format === 'table' || format === 'wide';
}

function selectionOf({ namespace, options }: Scope): Selection {
  const { allNamespaces, selector, fieldSelector } = options;
  return { selector, fieldSelector, ...(allNamespaces ? {} : { namespace }) };
}

async function showTables(scope: Scope, targets: readonly Target[]): Promise<void> {
  const kinds = [...new Set(targets.map(({ kind }) => kind))];
  let isFirst = true;
  for (const kind of kinds) {
    const table = await tableOf(scope, kind, targets);
    if (!table || (table.rows.length === 0 && kinds.length > 1)) continue;
    if (table.rows.length === 0) return nothing(scope, kind);
    if (!isFirst) console.log('');
    isFirst = false;
    write(new TableText(tableOptions(scope, kind, kinds.length > 1)).lines(table));
  }
  if (isFirst && kinds.length > 1) console.error('Nothing found');
}

async function tableOf(scope: Scope, kind: ServedKind, targets: readonly Target[]): Promise<ServerTable | undefined> {
  const { api, namespace, failures } = scope;
  const names = targets.flatMap((target) => (target.kind === kind && target.name !== undefined ? [target.name] : []));
  if (names.length === 0) return failures.attempt('', async () => sortedTable(scope, kind));
  refuseSelectors(scope);
  const tables: ServerTable[] = [];
  for (const name of names) {
    const table = await found(scope, async () => objectTable(api, kind, { name, namespace }));
    if (table) tables.push(table);
  }
  const [first] = tables;
  return first && { ...first, rows: tables.flatMap(({ rows }) => rows) };
}

async function sortedTable(scope: Scope, kind: ServedKind): Promise<ServerTable> {
  const { sortBy } = scope.options;
  const table = await listTable(scope.api, kind, { ...selectionOf(scope), withObjects: sortBy !== undefined });
  return { ...table, rows: sortedBy(table.rows, sortBy, ({ object }) => object) };
}

async function showObjects(scope: Scope, targets: readonly Target[]): Promise<void> {
  const { api, namespace, options, failures } = scope;
  const objects: KubeObject[] = [];
  for (const { kind, name } of targets) {
    if (name === undefined) {
      objects.push(...((await failures.attempt('', async () => listObjects(api, kind, selectionOf(scope)))) ?? []));
      continue;
    }
    refuseSelectors(scope);
    const object = await found(scope, async () => api.get<KubeObject>(objectPathOf(kind, name, namespace)));
    if (object) objects.push(object);
  }
  const isOne = targets.length === 1 && targets[0]?.name !== undefined;
  if (isOne && objects.length === 0) return;
  const withManagedFields = options.showManagedFields === true;
  const sorted = sortedBy(objects, options.sortBy, (object) => object);
  process.stdout.write(objectsText(options.output as 'json', sorted, { isOne, withManagedFields }));
}

/** Undefined for what is not there, which is told unless it is to be ignored. */
async function found<T>({ options, failures }: Scope, look: () => Promise<T>): Promise<T | undefined> {
  return failures.attempt('', async () => {
    try {
      return await look();
    } catch (error) {
      if (options.ignoreNotFound && isAbsence(error)) return undefined;
      throw error;
    }
  });
}

function refuseSelectors({ options }: Scope): void {
  const { selector, fieldSelector, allNamespaces } = options;
  if (selector !== undefined || fieldSelector !== undefined) throw badRequest('Give names, or selectors, not both');
  if (allNamespaces) throw badRequest('A name is one of one Project: give -n PROJECT instead of -A');
}

/** Shows what is there, then each change. Ended by Ctrl-C, or when the right to look ends. */
async function watch(scope: Scope, targets: readonly Target[]): Promise<void> {
  const [target, ...more] = targets;
  if (!target || more.length > 0) throw badRequest('Watch one kind, or one object: crate get TYPE [NAME] -w');
  const { kind, name } = target;
  if (name !== undefined) refuseSelectors(scope);
  const base = selectionOf(scope);
  const selection = name === undefined ? base : { ...base, fieldSelector: `metadata.name=${name}` };
  const text = new TableText(tableOptions(scope, kind, false));
  endWithReader();
  for (;;) {
    const table = await listTable(scope.api, kind, selection);
    if (isTable(scope.options.output)) write(text.lines(table));
    else await showObjects(scope, [target]);
    try {
      await follow(scope, { kind, text, table, selection });
    } catch (error) {
      // Older than the log: begin anew with what is there.
      if (!hasCode(error, 'Gone')) throw error;
    }
  }
}

async function follow({ api, options }: Scope, { kind, text, table, selection }: Followed): Promise<void> {
  const { output } = options;
  const resourceVersion = table.metadata.resourceVersion ?? '';
  const accept = isTable(output) ? { accept: AS_TABLE } : {};
  for await (const { object } of watchChanges(api, { ...selection, ...accept, kind, resourceVersion })) {
    const rows = object.rows ?? [];
    if (isTable(output)) write(text.lines({ columnDefinitions: table.columnDefinitions, rows }));
    else process.stdout.write(dataOf(output, object as unknown as KubeObject));
  }
}

/** Documents of a stream are told apart. */
function dataOf(output: Exclude<ObjectFormat, 'table' | 'wide'>, object: KubeObject): string {
  return `${output === 'yaml' ? '---\n' : ''}${objectsText(output, [object], { isOne: true })}`;
}

function tableOptions({ options }: Scope, kind: ServedKind, isOneOfMany: boolean): TableOptions {
  return {
    wide: options.output === 'wide',
    withNamespace: options.allNamespaces === true && kind.namespaced,
    withLabels: options.showLabels === true,
    noHeaders: !options.headers,
    ...(isOneOfMany ? { prefix: `${fullName(kind)}/` } : {}),
  };
}

function nothing({ namespace, options }: Scope, kind: ServedKind): void {
  const isElsewhere = kind.namespaced && !options.allNamespaces;
  const where = isElsewhere ? ` in Project ${namespace}; another one: -n PROJECT, all of them: -A` : '';
  console.error(`No ${kind.plural} found${where}`);
}

function write(lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}
