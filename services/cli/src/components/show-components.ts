import type { Component } from '@crate/api';
import { hasCode } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import { objectsText } from '../objects/object-output.js';
import { TableText } from '../objects/server-table.js';
import { endWithReader } from '../output/reader.js';
import { watchChanges } from '../objects/watch.js';
import { COMPONENT_KIND, listComponents } from './component-client.js';
import { COMPONENT_COLUMNS, componentRow, inOrder } from './component-rows.js';

/** How components are shown. */
export type ComponentFormat = 'table' | 'wide' | 'json' | 'yaml';

export interface ShowOptions {
  readonly output: ComponentFormat;
  /** Then every change, until Ctrl-C. */
  readonly watch?: true;
}

/** Shows the services of the platform and their versions. Throws what the API refuses. */
export async function showComponents(api: ApiClient, { output, watch }: ShowOptions): Promise<void> {
  const view = output === 'json' || output === 'yaml' ? new DataView(output) : new TableView(output === 'wide');
  if (watch) endWithReader();
  for (;;) {
    const { items, resourceVersion } = await listComponents(api);
    view.all(inOrder(items));
    if (!watch) return;
    try {
      for await (const { object } of watchChanges(api, { kind: COMPONENT_KIND, resourceVersion }))
        view.changed(object as unknown as Component);
    } catch (error) {
      // Older than the log: begin anew with what is there.
      if (!hasCode(error, 'Gone')) throw error;
    }
  }
}

/** A line for each, and one more whenever something of it is otherwise. */
class TableView {
  private readonly text: TableText;
  private readonly last = new Map<string, string>();

  constructor(wide: boolean) {
    this.text = new TableText({ wide });
  }

  all(components: readonly Component[]): void {
    this.print(components);
  }

  changed(component: Component): void {
    this.print([component]);
  }

  private print(components: readonly Component[]): void {
    const rows = components.map((component) => componentRow(component, new Date()));
    const news = rows.filter(({ cells, object: { metadata } }) => this.isNews(metadata.name, cells));
    for (const line of this.text.lines({ columnDefinitions: COMPONENT_COLUMNS, rows: news })) console.log(line);
  }

  /** That it grew older is none. */
  private isNews(name: string, cells: readonly unknown[]): boolean {
    const age = COMPONENT_COLUMNS.findIndex((column) => column.name === 'Age');
    const text = JSON.stringify(cells.filter((_, index) => index !== age));
    const isNew = this.last.get(name) !== text;
    this.last.set(name, text);
    return isNew;
  }
}

/** All as a list, and each change as a document of its own. */
class DataView {
  constructor(private readonly format: 'json' | 'yaml') {}

  all(components: readonly Component[]): void {
    process.stdout.write(objectsText(this.format, components, { isOne: false }));
  }

  changed(component: Component): void {
    const text = objectsText(this.format, [component], { isOne: true });
    process.stdout.write(`${this.format === 'yaml' ? '---\n' : ''}${text}`);
  }
}
