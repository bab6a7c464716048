import type { KubeObjectInput } from '@crate/api';
import { badRequest } from '@crate/errors';
import { z } from 'zod';

const text = z.string().nullish();

/** What every object must look like before anything else can be said about it; null counts as absent. */
const object = z.looseObject({
  apiVersion: text,
  kind: text,
  metadata: z
    .looseObject({ name: text, generateName: text, namespace: text, uid: text, resourceVersion: text })
    .nullish()
    .transform((metadata) => metadata ?? {}),
});

const deleteOptions = z.looseObject({
  dryRun: z.array(z.string()).nullish(),
  propagationPolicy: text,
  orphanDependents: z.boolean().nullish(),
  preconditions: z.looseObject({ uid: text, resourceVersion: text }).nullish(),
});

/** DeleteOptions as they are read from a body. */
export type DeleteOptionsBody = z.output<typeof deleteOptions>;

/** Throws BadRequest, naming the first field that is of another type. */
export function asObject(document: unknown): KubeObjectInput {
  return parsed(object, document, 'an object') as KubeObjectInput;
}

/** Throws BadRequest, naming the first field that is of another type. */
export function asDeleteOptions(document: unknown): DeleteOptionsBody {
  return parsed(deleteOptions, document ?? {}, 'DeleteOptions');
}

function parsed<S extends z.ZodType>(schema: S, document: unknown, what: string): z.output<S> {
  const result = schema.safeParse(document);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = (issue?.path ?? []).join('.');
  throw badRequest(path === '' ? `the request body must be ${what}` : `${path}: ${issue?.message ?? 'is malformed'}`);
}
