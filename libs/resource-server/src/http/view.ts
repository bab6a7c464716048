import type { KubeList, KubeObject, WatchEvent } from '@crate/api';
import { badRequest } from '@crate/errors';
import type { KindInfo } from '@crate/resource-client';
import { type IncludeObject, toPartial, toTable } from '../table/table.js';
import { parameter } from './exchange.js';
import type { View } from './negotiate.js';

/** Shows objects of one kind the way a client asked for. */
export class ObjectView {
  private columnsSent = false;

  constructor(
    private readonly kind: KindInfo,
    private readonly options: { readonly view: View; readonly includeObject: IncludeObject; readonly now: () => Date },
  ) {}

  object(object: KubeObject): unknown {
    const { view } = this.options;
    if (view === 'Table') return this.table([object], { resourceVersion: object.metadata.resourceVersion });
    return view === 'full' ? object : toPartial(object);
  }

  list(list: KubeList): unknown {
    const { view } = this.options;
    if (view === 'full') return list;
    if (view === 'Table') return this.table(list.items, list.metadata);
    const { metadata, items } = list;
    return { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items: items.map(toPartial) };
  }

  /** Only the first table of a watch carries the columns. A bookmark is a table without rows. */
  event({ type, object }: WatchEvent): unknown {
    const isBlank = type === 'BOOKMARK' && this.options.view === 'Table';
    return { type, object: isBlank ? this.table([], object.metadata) : this.object(object) };
  }

  private table(objects: readonly KubeObject[], metadata: unknown): unknown {
    const { includeObject, now } = this.options;
    const table = toTable(this.kind, objects, metadata, { includeObject, now: now(), withColumns: !this.columnsSent });
    this.columnsSent = true;
    return table;
  }
}

/** The `includeObject` parameter; throws BadRequest for an unknown value. */
export function includeObjectOf(query: URLSearchParams): IncludeObject {
  const value = parameter(query, 'includeObject') ?? 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  throw badRequest('includeObject must be None, Metadata or Object');
}
