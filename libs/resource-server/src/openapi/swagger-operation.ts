import { isJsonObject, type JsonObject } from '@crate/api';
import { mapValues, toSwaggerReference, toSwaggerSchema } from './swagger-schema.js';

/** An operation in the words of OpenAPI 2.0: bodies are parameters, media types are lists. */
export function toSwaggerOperation(operation: JsonObject): JsonObject {
  const { parameters = [], requestBody, responses, ...rest } = operation;
  const body = bodyParameter(requestBody);
  const all = [...(parameters as JsonObject[]).map(toSwaggerParameter), ...(body ? [body] : [])];
  const consumes = mediaTypes(contentOf(requestBody));
  const produces = mediaTypes(...Object.values(responses as JsonObject).map(contentOf));
  return {
    ...rest,
    ...(consumes.length > 0 ? { consumes } : {}),
    produces,
    ...(all.length > 0 ? { parameters: all } : {}),
    responses: mapValues(responses, toSwaggerResponse),
  };
}

/** A parameter with its type beside its name. */
export function toSwaggerParameter({ schema, ...parameter }: JsonObject): JsonObject {
  return { ...parameter, ...(toSwaggerSchema(schema) as JsonObject) };
}

/** A response with the schema of its JSON, or of the only form it has. */
export function toSwaggerResponse(response: unknown): unknown {
  if (!isJsonObject(response)) return response;
  if (typeof response.$ref === 'string') return { $ref: toSwaggerReference(response.$ref) };
  const { description, headers, content } = response;
  const schema = schemaOf(content);
  return {
    description,
    ...(schema === undefined ? {} : { schema }),
    ...(isJsonObject(headers) ? { headers: mapValues(headers, toHeader) } : {}),
  };
}

function toHeader(header: unknown): unknown {
  const { schema, ...rest } = header as JsonObject;
  return { ...rest, ...(schema as JsonObject) };
}

function bodyParameter(requestBody: unknown): JsonObject | undefined {
  if (!isJsonObject(requestBody)) return undefined;
  const schema = schemaOf(requestBody.content);
  return { name: 'body', in: 'body', required: requestBody.required === true, ...(schema ? { schema } : {}) };
}

function schemaOf(content: unknown): unknown {
  if (!isJsonObject(content)) return undefined;
  const entry = content['application/json'] ?? Object.values(content)[0];
  return isJsonObject(entry) ? toSwaggerSchema(entry.schema) : undefined;
}

function contentOf(holder: unknown): JsonObject {
  return isJsonObject(holder) && isJsonObject(holder.content) ? holder.content : {};
}

function mediaTypes(...contents: readonly JsonObject[]): string[] {
  return [...new Set(contents.flatMap((content) => Object.keys(content)))];
}
