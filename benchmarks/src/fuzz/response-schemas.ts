import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { ApiDocument, Json, Operation } from './api-document.js';

/** Judges answers by the schemas of the document. */
export class ResponseSchemas {
  private readonly ajv = new Ajv({ strict: false, allErrors: false });
  private readonly known = new Map<object, ValidateFunction>();

  constructor(document: ApiDocument) {
    addFormats.default(this.ajv);
    const schemas = toJsonSchema(document.schemas) as Json;
    this.ajv.addSchema({ $id: 'document', components: { schemas } });
  }

  /** The schema that an operation states for an answer; undefined when it states none for this code. */
  find(operation: Operation, code: number, accept: string | undefined): Json | undefined {
    const content = operation.answers[String(code)];
    if (!content) return undefined;
    const wanted = accept === undefined ? undefined : content[accept];
    return (wanted ?? content['application/json'] ?? Object.values(content)[0])?.schema ?? {};
  }

  /** What is wrong with a value, or undefined. */
  wrong(schema: Json, value: unknown): string | undefined {
    const validate = this.known.get(schema) ?? this.ajv.compile(toJsonSchema(schema) as Json);
    this.known.set(schema, validate);
    return validate(value) ? undefined : this.ajv.errorsText(validate.errors, { dataVar: 'answer' });
  }
}

/** OpenAPI 3.0 says some things in the words of an older JSON schema. */
function toJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toJsonSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { example: _example, exclusiveMinimum, exclusiveMaximum, nullable, ...rest } = schema as Json;
  const result = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, key === 'enum' ? value : toJsonSchema(value)]),
  );
  if (typeof result['$ref'] === 'string') return { $ref: result['$ref'].replace('#/', 'document#/') };
  if (exclusiveMinimum === true) result['exclusiveMinimum'] = result['minimum'];
  if (exclusiveMaximum === true) result['exclusiveMaximum'] = result['maximum'];
  if (nullable === true && typeof result['type'] === 'string') result['type'] = [result['type'], 'null'];
  return result;
}
