import { z } from 'zod';
import type { ServedKind } from './served-kind.js';

/** The kind cut down to its status, to judge a write to the `status` subresource; a status without a schema may be anything. */
export function statusOnly(served: ServedKind): ServedKind {
  const { body } = served.definition;
  const status = body instanceof z.ZodObject ? (body.shape as z.ZodRawShape).status : undefined;
  const definition = { ...served.definition, body: z.looseObject(status ? { status } : {}) };
  if (!served.schema) return { definition };
  const declared = served.schema.properties?.status;
  return { definition, schema: declared ? { properties: { status: declared } } : { additionalProperties: true } };
}
