import type { KubeObject, ObjectMeta } from '@crate/api';
import { Columns } from '../progress/columns.js';

/** What the API makes of a list for people. Source: https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables */
export interface ServerTable {
  readonly kind: string;
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows: readonly TableRow[];
}

export interface TableRow {
  readonly cells: readonly unknown[];
  readonly object: Partial<KubeObject> & { readonly metadata: ObjectMeta };
}

/** Has the API answer a Table. */
export const AS_TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

export interface TableOptions {
  /** All columns, also those of little interest. */
  readonly wide?: boolean;
  readonly withNamespace?: boolean;
  readonly withLabels?: boolean;
  readonly noHeaders?: boolean;
  /** In front of names, where several kinds are shown: `cluster.lifecycle.crate.dev/`. */
  readonly prefix?: string;
}

const GAP = 3;

/** Writes the rows of one kind as lines. Columns keep their width over several calls, as a watch needs it. */
export class TableText {
  private readonly columns = new Columns(GAP);
  private isBegun = false;

  constructor(private readonly options: TableOptions) {}

  /** Lines of a table; with the header in front the first time. */
  lines({ columnDefinitions, rows }: Pick<ServerTable, 'columnDefinitions' | 'rows'>): readonly string[] {
    const shown = columnDefinitions.flatMap(({ priority }, index) =>
      this.options.wide || priority === 0 ? [index] : [],
    );
    const header = this.withExtras(
      shown.map((index) => (columnDefinitions[index]?.name ?? '').toUpperCase()),
      { namespace: 'NAMESPACE', labels: 'LABELS' },
    );
    const body = rows.map((row) => this.cellsOf(row, shown));
    const all = this.isBegun || this.options.noHeaders ? body : [header, ...body];
    this.isBegun = true;
    return this.columns.lines(all);
  }

  private cellsOf({ cells, object: { metadata } }: TableRow, shown: readonly number[]): readonly string[] {
    const texts = shown.map((index) => cellText(cells[index]));
    const { namespace = '', labels = {} } = metadata;
    const [name = '', ...rest] = texts;
    const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
    return this.withExtras([`${this.options.prefix ?? ''}${name}`, ...rest], {
      namespace,
      labels: pairs.length === 0 ? '<none>' : pairs.join(','),
    });
  }

  private withExtras(cells: readonly string[], extra: { namespace: string; labels: string }): readonly string[] {
    const { withNamespace, withLabels } = this.options;
    return [...(withNamespace ? [extra.namespace] : []), ...cells, ...(withLabels ? [extra.labels] : [])];
  }
}

function cellText(cell: unknown): string {
  if (cell === undefined || cell === null || cell === '') return '<none>';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}
