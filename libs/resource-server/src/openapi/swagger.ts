import { isJsonObject, type JsonObject } from '@crate/api';
import type { OpenApiDocument } from './document.js';
import { toSwaggerOperation, toSwaggerParameter, toSwaggerResponse } from './swagger-operation.js';
import { mapValues, toSwaggerSchema } from './swagger-schema.js';

const METHODS = new Set(['get', 'put', 'post', 'delete', 'patch']);

/** The same API in the words of OpenAPI v2, which kubectl up to 1.27 reads. What v2 cannot say is left out. */
export function toSwagger(document: OpenApiDocument): JsonObject {
  const { info, tags, paths, components } = document;
  const description = 'A bearer token: `Bearer <token>`';
  return {
    swagger: '2.0',
    info,
    ...(tags === undefined ? {} : { tags }),
    security: [{ BearerToken: [] }],
    securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header', description } },
    paths: mapValues(paths, toSwaggerPath),
    definitions: mapValues(components.schemas, toSwaggerSchema),
    responses: mapValues(components.responses, toSwaggerResponse),
  };
}

function toSwaggerPath(path: unknown): unknown {
  if (!isJsonObject(path)) return path;
  return Object.fromEntries(
    Object.entries(path).map(([key, value]) => {
      if (METHODS.has(key)) return [key, toSwaggerOperation(value as JsonObject)];
      return [key, key === 'parameters' ? (value as JsonObject[]).map(toSwaggerParameter) : value];
    }),
  );
}
