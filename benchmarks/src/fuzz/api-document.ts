/** A JSON object whose shape is not known. */
export type Json = Record<string, unknown>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly schema: Json;
}

/** One thing that the API's own document says can be done. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** With `{namespace}` and `{name}` as the document has them. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Schema and example of the body, by media type. */
  readonly bodies: Readonly<Record<string, { readonly schema: Json; readonly example?: unknown }>>;
  /** Schemas of the answer, by code and media type; references are resolved. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, { readonly schema: Json }>>>>;
  readonly isPublic: boolean;
  readonly kind: string;
}

export interface ApiDocument {
  readonly operations: readonly Operation[];
  readonly schemas: Readonly<Record<string, Json>>;
}

interface Raw {
  readonly paths: Readonly<Record<string, Json>>;
  readonly components: { readonly schemas: Record<string, Json>; readonly responses: Record<string, Json> };
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'LOCK', 'UNLOCK'];

/** Reads what can be done from an OpenAPI 3.0 document. */
export function readDocument(raw: unknown): ApiDocument {
  const { paths, components } = raw as Raw;
  const operations = Object.entries(paths).flatMap(([path, item]) => {
    // Methods that OpenAPI 3.0 does not know, where 3.2 has them.
    const all = { ...item, ...(item['x-additionalOperations'] as Json | undefined) };
    const methods = Object.keys(all).filter((method) => METHODS.includes(method));
    return methods.map((method) => operationOf(path, method, all, components.responses));
  });
  return { operations, schemas: components.schemas };
}

function operationOf(path: string, method: string, item: Json, responses: Record<string, Json>): Operation {
  const raw = item[method] as Json;
  const own = [item['parameters'], raw['parameters']].flatMap((list) => (list ?? []) as Parameter[]);
  const body = raw['requestBody'] as { content?: Operation['bodies'] } | undefined;
  const gvk = raw['x-kubernetes-group-version-kind'] as { kind?: string } | undefined;
  return {
    id: String(raw['operationId']),
    method: method.toUpperCase(),
    path,
    parameters: own,
    bodies: body?.content ?? {},
    answers: answersOf(raw['responses'] as Json, responses),
    isPublic: Array.isArray(raw['security']) && raw['security'].length === 0,
    kind: gvk?.kind ?? '',
  };
}

function answersOf(raw: Json, responses: Record<string, Json>): Operation['answers'] {
  const entries = Object.entries(raw).map(([code, response]) => {
    const { $ref, content } = response as { $ref?: string; content?: Json };
    const found = $ref === undefined ? content : responses[$ref.split('/').pop() ?? '']?.['content'];
    return [code, found ?? {}] as const;
  });
  return Object.fromEntries(entries) as Operation['answers'];
}
