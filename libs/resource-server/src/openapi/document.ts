import { formatApiVersion, type JsonObject } from '@crate/api';
import type { KindInfo } from '@crate/resource-client';
import { EXCHANGE_SCHEMAS } from './exchange-schemas.js';
import { schemasOf } from './kind-schemas.js';
import { METADATA_SCHEMAS } from './metadata-schemas.js';
import { tagOf } from './operation.js';
import { pathsOf } from './paths.js';
import { FAILURE_RESPONSES } from './responses.js';
import { reviewDocuments } from './review-paths.js';
import { SERVER_DOCUMENTS, type ServerDocument } from './server-paths.js';

/** What a document says of the whole API. */
export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description?: string;
}

/** An OpenAPI 3.0 document. */
export interface OpenApiDocument extends JsonObject {
  readonly openapi: string;
  readonly info: ApiInfo;
  readonly paths: Record<string, JsonObject>;
  readonly components: { readonly schemas: Record<string, JsonObject>; readonly responses: Record<string, JsonObject> };
}

/** A part of the API that has a document of its own. */
interface Section {
  readonly paths: JsonObject;
  readonly schemas: JsonObject;
  readonly tags: readonly JsonObject[];
}

/** What is described: the kinds that are served, and what the server offers beside them. */
export interface Described {
  readonly kinds: readonly KindInfo[];
  readonly others?: readonly ServerDocument[];
}

/** Every path that has a document of its own, in the order of the index. */
export function openApiPaths(described: Described): readonly string[] {
  return [...sectionsOf(described).keys()];
}

/** The document of one group and version, or of the server itself; undefined when nothing is served there. */
export function openApiDocument(described: Described, path: string, info: ApiInfo): OpenApiDocument | undefined {
  const section = sectionsOf(described).get(path);
  return section && documentOf([section], info);
}

/** The whole API in one document. */
export function wholeDocument(described: Described, info: ApiInfo): OpenApiDocument {
  return documentOf([...sectionsOf(described).values()], info);
}

function sectionsOf({ kinds, others = [] }: Described): Map<string, Section> {
  const sections = new Map<string, Section>();
  for (const kind of kinds) {
    const known = sections.get(documentPath(kind)) ?? { paths: {}, schemas: {}, tags: [] };
    sections.set(documentPath(kind), {
      paths: { ...known.paths, ...pathsOf(kind) },
      schemas: { ...known.schemas, ...schemasOf(kind) },
      tags: [...known.tags, { name: tagOf(kind), description: kind.description }],
    });
  }
  for (const { path, ...section } of reviewDocuments()) {
    if (!sections.has(path)) sections.set(path, section);
  }
  for (const { path, ...section } of [...SERVER_DOCUMENTS, ...others]) sections.set(path, { ...section, schemas: {} });
  return sections;
}

function documentOf(sections: readonly Section[], info: ApiInfo): OpenApiDocument {
  const tags = sections.flatMap((section) => section.tags);
  return {
    openapi: '3.0.0',
    info,
    ...(tags.length > 0 ? { tags } : {}),
    security: [{ BearerToken: [] }],
    paths: merged(sections.map(({ paths }) => paths)),
    components: {
      schemas: merged([METADATA_SCHEMAS, EXCHANGE_SCHEMAS, ...sections.map(({ schemas }) => schemas)]),
      responses: FAILURE_RESPONSES as Record<string, JsonObject>,
      securitySchemes: {
        BearerToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of your identity provider, or an API key',
        },
      },
    },
  } as OpenApiDocument;
}

function merged(parts: readonly JsonObject[]): Record<string, JsonObject> {
  return Object.assign({}, ...parts) as Record<string, JsonObject>;
}

function documentPath({ group, version }: KindInfo): string {
  return group === '' ? `api/${version}` : `apis/${formatApiVersion(group, version)}`;
}
