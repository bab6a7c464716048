import {
  apiVersionOf,
  type KindDefinition,
  type KubeList,
  type KubeObject,
  type ObjectMeta,
  type WatchEvent,
} from '@crate/api';
import { badRequest, hasCode, type PlatformError } from '@crate/errors';
import type { ApiConnection, ApiRequest } from '../transport/api-connection.js';
import { jsonLines } from '../watch/json-lines.js';
import { watchObjects } from '../watch/watch-objects.js';

/** Objects in a list, at most, unless asked otherwise. */
const PAGE = 500;
/** The server ends watches after this time; they are then taken up again. */
const WATCH_SECONDS = 300;

/** An object as a person states it. */
export type Draft<T extends KubeObject> = Omit<Partial<T>, 'apiVersion' | 'kind' | 'metadata' | 'spec' | 'status'> & {
  readonly metadata: Partial<ObjectMeta> & { readonly name: string };
  readonly spec?: unknown;
};

/** In the syntax of Kubernetes, which the server judges. */
export interface Selection {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** The signal also ends the pause before a call is made again. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** `fieldValidation` says what unknown fields lead to: nothing, a warning, or InvalidSpec. */
export interface WriteCallOptions extends CallOptions {
  /** Everything is checked, nothing is stored. */
  readonly dryRun?: boolean;
  /** Who owns the written fields; default: the client's. */
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

/** A precondition that does not hold is a Conflict. */
export interface DeleteCallOptions extends CallOptions {
  readonly dryRun?: boolean;
  /** What becomes of objects that this one owns. Default: as its finalizers say, else `Background`. */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Objects of one kind, in one Project or in all: those of all are listed and watched, and for one by its name the Project is needed. */
export class KindClient<T extends KubeObject> {
  constructor(
    private readonly api: ApiConnection,
    readonly kind: KindDefinition<T>,
    private readonly fieldManager: string,
    /** Absent: of all Projects, or of a kind without one. */
    readonly namespace?: string,
  ) {}

  /** The same in one Project. */
  in(namespace: string): KindClient<T> {
    return new KindClient(this.api, this.kind, this.fieldManager, namespace);
  }

  /** Throws NotFound. */
  async get(name: string, options: CallOptions = {}): Promise<T> {
    return this.api.json({ method: 'GET', path: this.path(name), ...options });
  }

  /** Undefined when absent. */
  async find(name: string, options: CallOptions = {}): Promise<T | undefined> {
    try {
      return await this.get(name, options);
    } catch (error) {
      if (isAbsent(error, name)) return undefined;
      throw error;
    }
  }

  /** All that match, over as many pages as it takes, as of one moment; on one page when the server forgets that moment meanwhile. */
  async list(selection: Selection & CallOptions = {}): Promise<KubeList<T>> {
    try {
      return await this.allPages(selection);
    } catch (error) {
      if (hasCode(error, 'Gone')) return this.page(selection);
      throw error;
    }
  }

  /** One page. */
  async page(
    options: Selection & CallOptions & { readonly limit?: number; readonly continue?: string } = {},
  ): Promise<KubeList<T>> {
    const { signal, ...query } = options;
    return this.api.json({ method: 'GET', path: this.collection(), query, signal });
  }

  /** All that exists as ADDED, then every change, across broken connections and lost history; until the signal aborts. */
  watch(options: Selection & CallOptions = {}): AsyncGenerator<WatchEvent<T>> {
    const { signal, ...selection } = options;
    return watchObjects<T>({
      signal,
      list: () => this.list(options),
      changes: (resourceVersion) => this.changes(selection, resourceVersion, signal),
    });
  }

  async create(draft: Draft<T>, options: WriteCallOptions = {}): Promise<T> {
    return this.api.json({ method: 'POST', path: this.path(), body: this.document(draft), ...this.writing(options) });
  }

  /** Server-side apply: creates or changes, owning just what is stated. Stating the same again writes nothing. */
  async apply(draft: Draft<T>, options: WriteCallOptions & { readonly force?: boolean } = {}): Promise<T> {
    const { force = false, ...rest } = options;
    const { query, signal } = this.writing(rest);
    return this.api.json({
      method: 'PATCH',
      path: this.path(draft.metadata.name),
      query: { ...query, force },
      body: this.document(draft),
      contentType: 'application/apply-patch+yaml',
      signal,
    });
  }

  /** Replaces all but the status; Conflict when `object` is not the stored version any more. */
  async replace(object: T, options: WriteCallOptions = {}): Promise<T> {
    return this.api.json({
      method: 'PUT',
      path: this.path(object.metadata.name),
      body: object,
      ...this.writing(options),
    });
  }

  /**
   * A merge patch (RFC 7386), or with a list of operations a JSON patch (RFC 6902). One whose outcome is not known is repeated only
   * when it tests `/metadata/resourceVersion`.
   */
  async patch(name: string, patch: object | readonly object[], options: WriteCallOptions = {}): Promise<T> {
    const contentType = Array.isArray(patch) ? 'application/json-patch+json' : 'application/merge-patch+json';
    return this.api.json({
      method: 'PATCH',
      path: this.path(name),
      body: patch,
      contentType,
      ...this.writing(options),
    });
  }

  /**
   * Asks for deletion; finalizers may keep the object for a while. An object that is absent counts as deleted. One whose outcome is not
   * known is repeated only with a `uid` among the preconditions, since the name may be another object's by then.
   */
  async remove(name: string, { signal, dryRun, ...body }: DeleteCallOptions = {}): Promise<void> {
    const request = { method: 'DELETE', path: this.path(name), query: dryRunQuery(dryRun), body, signal };
    await this.api.json(request).catch((error: unknown) => {
      if (!isAbsent(error, name)) throw error;
    });
  }

  /** A subresource that is text, such as `kubeconfig`. */
  async readText(name: string, subresource: string, options: CallOptions = {}): Promise<string> {
    return this.api.text({ method: 'GET', path: `${this.path(name)}/${subresource}`, accept: '*/*', ...options });
  }

  /** A subresource that is a document, such as `scale` or `plan`. */
  async read<S>(name: string, subresource: string, options: CallOptions = {}): Promise<S> {
    return this.api.json({ method: 'GET', path: `${this.path(name)}/${subresource}`, ...options });
  }

  /** Writes a subresource: `POST` for one that issues something such as `token`, a merge patch for one such as `scale`. */
  async write<S>(
    name: string,
    subresource: string,
    body: unknown,
    options: WriteCallOptions & { readonly verb?: 'create' | 'patch' } = {},
  ): Promise<S> {
    const { verb = 'create', ...rest } = options;
    const how =
      verb === 'create' ? { method: 'POST' } : { method: 'PATCH', contentType: 'application/merge-patch+json' };
    return this.api.json({ ...how, path: `${this.path(name)}/${subresource}`, body, ...this.writing(rest) });
  }

  /** A log, part by part; with `follow` until it is complete or the signal aborts. */
  async *logs(
    name: string,
    options: CallOptions & { readonly follow?: boolean; readonly tailLines?: number } = {},
  ): AsyncGenerator<string> {
    const { signal, ...query } = options;
    const request = { method: 'GET', path: `${this.path(name)}/logs`, query, signal, timeoutMs: 0 };
    const stream = await this.api.open(request);
    stream.setEncoding('utf8');
    for await (const text of stream as AsyncIterable<string>) yield text;
  }

  private async allPages(selection: Selection & CallOptions): Promise<KubeList<T>> {
    const pages: KubeList<T>[] = [];
    let next: string | undefined;
    do {
      pages.push(await this.page({ ...selection, limit: PAGE, ...(next === undefined ? {} : { continue: next }) }));
      next = pages.at(-1)?.metadata.continue;
    } while (next !== undefined && next !== '');
    const [first] = pages as [KubeList<T>];
    const { resourceVersion } = first.metadata;
    return { ...first, metadata: { resourceVersion }, items: pages.flatMap(({ items }) => items) };
  }

  private async *changes(
    selection: Selection,
    resourceVersion: string,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<never> {
    const query = {
      ...selection,
      resourceVersion,
      watch: true,
      allowWatchBookmarks: true,
      timeoutSeconds: WATCH_SECONDS,
    };
    const stream = await this.api.stream({
      method: 'GET',
      path: this.collection(),
      query,
      signal,
      timeoutMs: (WATCH_SECONDS + 30) * 1000,
    });
    try {
      yield* jsonLines<never>(stream as AsyncIterable<Buffer>);
    } finally {
      stream.destroy();
    }
  }

  private document(draft: Draft<T>): object {
    return { apiVersion: apiVersionOf(this.kind), kind: this.kind.kind, ...draft };
  }

  private writing({
    signal,
    dryRun,
    fieldManager = this.fieldManager,
    fieldValidation,
  }: WriteCallOptions): Pick<ApiRequest, 'query' | 'signal'> {
    return { query: { ...dryRunQuery(dryRun), fieldManager, fieldValidation }, signal };
  }

  /**
   * Of one object, or of where they are made. Throws BadRequest where that is in a Project, and none was named, and for a name that would make it
   * another path.
   */
  private path(name?: string): string {
    if (this.kind.namespaced && this.namespace === undefined) throw unplaced(this.kind);
    return `${this.collection()}${name === undefined ? '' : `/${segment(name)}`}`;
  }

  /** Of all of them, in one Project or in all. */
  private collection(): string {
    const { group, version, plural, namespaced } = this.kind;
    const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const scope = namespaced && this.namespace !== undefined ? `/namespaces/${segment(this.namespace)}` : '';
    return `${root}${scope}/${plural}`;
  }
}

/** Without a name, and with dots that are resolved on the way, a path leads to what holds the object: all of it could be deleted. */
function segment(name: string): string {
  if (/^\.{0,2}$/.test(name)) throw badRequest(`"${name}" is no name of an object`);
  return encodeURIComponent(name);
}

function unplaced({ kind }: { readonly kind: string }): PlatformError {
  return badRequest(`${kind} is a kind of a Project, and none was named: name it, as with in("team-a")`);
}

/** Only the answer that speaks of the object itself: a path that is not served is NotFound as well. */
function isAbsent(error: unknown, name: string): boolean {
  return hasCode(error, 'NotFound') && (error as PlatformError).details.name === name;
}

function dryRunQuery(dryRun: boolean | undefined): Record<string, string> {
  return dryRun === true ? { dryRun: 'All' } : {};
}
