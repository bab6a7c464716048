import fc from 'fast-check';
import type { ApiDocument, Json, Operation } from './api-document.js';
import { hostileBody, hostileHeaders, hostileText } from './hostile.js';
import { nearlyValid } from './nearly-valid.js';
import { SchemaArbitrary } from './schema-arbitrary.js';
import { placeOf } from './request-place.js';
import { settle } from './settle.js';
import type { Tenant } from './tenant.js';
import type { FuzzCaller, World } from './world.js';

/** How far a request is from what the document asks for. `foreign`: right in all, but about somebody else's Project. */
export const CLASSES = ['valid', 'near', 'hostile', 'foreign'] as const;
export type RequestClass = (typeof CLASSES)[number];

/** A request that is ready to be sent. */
export interface FuzzRequest {
  readonly kind: RequestClass;
  readonly caller: FuzzCaller;
  readonly operation: Operation;
  readonly method: string;
  /** With its query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Whoever may do most in a Project, and in all of them. */
const MEETING = new Set(['admin of a', 'platform admin']);
const ODD_METHODS = ['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'POST', 'PUT', 'DELETE', 'PATCH', 'GET'];

/** Makes requests of all classes for the operations of a document. */
export class RequestArbitrary {
  private readonly values: SchemaArbitrary;
  private readonly made = new Map<string, fc.Arbitrary<FuzzRequest>>();
  private readonly drawn: fc.Arbitrary<FuzzRequest>;

  constructor(
    private readonly document: ApiDocument,
    private readonly world: World,
  ) {
    this.values = new SchemaArbitrary(document.schemas);
    this.drawn = this.draw();
  }

  get operations(): readonly Operation[] {
    return this.document.operations;
  }

  any(): fc.Arbitrary<FuzzRequest> {
    return this.drawn;
  }

  /** Right in all, by people who may do it, somewhere where there is something. */
  meeting(operation: Operation): fc.Arbitrary<FuzzRequest> {
    const callers = this.world.callers.filter(({ name }) => MEETING.has(name));
    return fc.constantFrom(...callers).chain((caller) => this.request('valid', operation, caller));
  }

  private draw(): fc.Arbitrary<FuzzRequest> {
    const operation = fc.constantFrom(...this.document.operations);
    const caller = fc.oneof(
      ...this.world.callers.map((each) => ({ arbitrary: fc.constant(each), weight: each.weight })),
    );
    const kind = fc.oneof(
      { arbitrary: fc.constant('valid' as const), weight: 3 },
      { arbitrary: fc.constant('near' as const), weight: 3 },
      { arbitrary: fc.constant('hostile' as const), weight: 3 },
      { arbitrary: fc.constant('foreign' as const), weight: 1 },
    );
    return fc.tuple(kind, operation, caller).chain(([of, what, who]) => this.request(of, what, who));
  }

  /** Made once for each of the combinations, as making them costs more than drawing from them. */
  private request(kind: RequestClass, operation: Operation, caller: FuzzCaller): fc.Arbitrary<FuzzRequest> {
    const key = `${kind} ${operation.id} ${caller.name}`;
    const known = this.made.get(key) ?? this.make(kind, operation, caller);
    this.made.set(key, known);
    return known;
  }

  private make(kind: RequestClass, operation: Operation, caller: FuzzCaller): fc.Arbitrary<FuzzRequest> {
    return fc
      .record({
        place: placeOf(kind, operation, this.tenantFor(kind, caller)),
        query: this.query(kind, operation),
        headers: kind === 'hostile' ? hostileHeaders : this.headers(kind, operation),
        body: this.body(kind, operation),
        method:
          kind === 'hostile'
            ? fc.oneof(fc.constant(operation.method), fc.constantFrom(...ODD_METHODS))
            : fc.constant(operation.method),
      })
      .map(({ place, query, headers, body, method }) =>
        settle({ kind, caller, operation, method, ...place, query, headers, ...(body === undefined ? {} : { body }) }),
      );
  }

  private tenantFor(kind: RequestClass, { project }: FuzzCaller): Tenant {
    const [a, b] = this.world.tenants;
    const [own, other] = project === b.project ? [b, a] : [a, b];
    return kind === 'foreign' ? other : own;
  }

  private query(kind: RequestClass, { parameters }: Operation): fc.Arbitrary<Record<string, string>> {
    const model = Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === 'query')
        .map(({ name, schema }) => {
          const right = this.values.of(schema).map(String);
          return [name, kind === 'valid' || kind === 'foreign' ? right : fc.oneof(right, hostileText)];
        }),
    );
    // Most requests state few parameters, or hardly any would get past them.
    const some = fc.subarray(Object.keys(model), { maxLength: Math.min(2, Object.keys(model).length) });
    return fc
      .tuple(fc.record(model), some)
      .map(([all, names]) => Object.fromEntries(names.map((name) => [name, all[name] ?? ''])));
  }

  private headers(kind: RequestClass, { bodies }: Operation): fc.Arbitrary<Record<string, string>> {
    const types = Object.keys(bodies);
    const stated =
      types.length === 0 ? fc.constant({}) : fc.constantFrom(...types).map((type) => ({ 'content-type': type }));
    const accept = fc.constantFrom(undefined, 'application/json', 'application/json', 'application/yaml');
    return fc.tuple(stated, accept).map(([type, wanted]) => ({
      ...(type as Record<string, string>),
      ...(wanted === undefined || kind === 'near' ? {} : { accept: wanted }),
    }));
  }

  /** One body for all media types: what is sent is decided with the header. */
  private body(kind: RequestClass, { bodies }: Operation): fc.Arbitrary<unknown> {
    // The object that server-side apply takes does for merge patches too; lists of operations are made of it later.
    const entry = bodies['application/apply-patch+yaml'] ?? Object.values(bodies)[0];
    if (!entry) return kind === 'hostile' ? fc.option(hostileBody, { nil: undefined }) : fc.constant(undefined);
    const example = entry.example as Json | undefined;
    const right = example
      ? fc.oneof(fc.constant(example), this.varied(entry.schema, example))
      : this.values.of(entry.schema);
    if (kind === 'hostile') return fc.oneof(hostileBody, nearlyValid(right, hostileText));
    return kind === 'near' ? nearlyValid(right, hostileText) : right;
  }

  /** The example with some of its fields as the schema would have them. */
  private varied(schema: Json, example: Json): fc.Arbitrary<unknown> {
    return this.values.of(schema).map((drawn) => {
      const { spec, metadata } = (drawn ?? {}) as { spec?: Json; metadata?: Json };
      const { labels, annotations } = metadata ?? {};
      const known = example['metadata'] as Json;
      return {
        ...example,
        metadata: { ...known, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) },
        ...(example['spec'] === undefined ? {} : { spec: { ...(example['spec'] as Json), ...spec } }),
      };
    });
  }
}
