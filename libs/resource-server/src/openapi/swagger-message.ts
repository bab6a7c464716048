import { isJsonObject, type JsonObject } from '@crate/api';
import { DOCUMENT_MESSAGE } from './swagger-messages.js';

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

/** An OpenAPI v2 document in protobuf, the one form of it that kubectl reads. */
export function swaggerMessage(swagger: JsonObject): Buffer {
  const { paths, definitions, responses, security, securityDefinitions, ...rest } = swagger;
  const message = {
    ...rest,
    paths: { path: pairs(paths, pathItem) },
    definitions: { additionalProperties: pairs(definitions, schema) },
    responses: { additionalProperties: pairs(responses, response) },
    security: requirements(security),
    securityDefinitions: { additionalProperties: pairs(securityDefinitions, (value) => ({ apiKeySecurity: value })) },
  };
  return Buffer.from(DOCUMENT_MESSAGE.encode(DOCUMENT_MESSAGE.fromObject(message)).finish());
}

function pathItem(path: JsonObject): unknown {
  const operations = METHODS.filter((method) => isJsonObject(path[method]));
  return {
    ...Object.fromEntries(operations.map((method) => [method, operation(path[method] as JsonObject)])),
    ...(Array.isArray(path.parameters) ? { parameters: path.parameters.map(parameter) } : {}),
  };
}

function operation({ parameters, responses, security, ...rest }: JsonObject): unknown {
  return {
    ...rest,
    ...(Array.isArray(parameters) ? { parameters: parameters.map(parameter) } : {}),
    ...(security === undefined ? {} : { security: requirements(security) }),
    responses: { responseCode: pairs(responses, responseValue) },
    vendorExtension: extensions(rest),
  };
}

function parameter(value: JsonObject): unknown {
  if (value.in === 'body') {
    return { parameter: { bodyParameter: { ...value, ...(value.schema ? { schema: schema(value.schema) } : {}) } } };
  }
  const plain = { ...value, ...(Array.isArray(value.enum) ? { enum: value.enum.map(any) } : {}) };
  const field = value.in === 'path' ? 'pathParameterSubSchema' : 'queryParameterSubSchema';
  return { parameter: { nonBodyParameter: { [field]: plain } } };
}

function responseValue(value: JsonObject): unknown {
  return typeof value.$ref === 'string' ? { jsonReference: { ref: value.$ref } } : { response: response(value) };
}

function response({ description, schema: own, headers }: JsonObject): unknown {
  return {
    description,
    ...(own === undefined ? {} : { schema: { schema: schema(own) } }),
    ...(headers === undefined ? {} : { headers: { additionalProperties: pairs(headers, (header) => header) } }),
  };
}

/** Words that the message spells otherwise than JSON does. */
const SPELLED: Readonly<Record<string, (value: unknown) => unknown>> = {
  default: any,
  example: any,
  enum: (value) => (value as unknown[]).map(any),
  type: (value) => ({ value: [value] }),
  items: (value) => ({ schema: [schema(value)] }),
  allOf: (value) => (value as unknown[]).map(schema),
  properties: (value) => ({ additionalProperties: pairs(value, schema) }),
  additionalProperties: (value) => (isJsonObject(value) ? { schema: schema(value) } : { boolean: value }),
};

function schema(value: unknown): unknown {
  const { $ref, ...words } = value as JsonObject;
  const spelled = Object.entries(words).map(([word, content]) => [word, SPELLED[word]?.(content) ?? content]);
  return {
    ...(Object.fromEntries(spelled) as JsonObject),
    ...($ref === undefined ? {} : { ref: $ref }),
    vendorExtension: extensions(words),
  };
}

function extensions(words: JsonObject): unknown[] {
  return pairs(Object.fromEntries(Object.entries(words).filter(([word]) => word.startsWith('x-'))), any);
}

function requirements(security: unknown): unknown[] {
  const each = (requirement: unknown): unknown => ({
    additionalProperties: pairs(requirement, (value) => ({ value })),
  });
  return (security as unknown[]).map(each);
}

/** JSON is YAML too. */
function any(value: unknown): unknown {
  return { yaml: `${JSON.stringify(value)}\n` };
}

/** The members of an object as a list of names and values. */
function pairs(object: unknown, convert: (value: never) => unknown): unknown[] {
  return Object.entries(object as JsonObject).map(([name, value]) => ({ name, value: convert(value as never) }));
}
