import { badRequest } from '@crate/errors';
import { z } from 'zod';

const type = z.object({ group: z.string(), version: z.string(), plural: z.string() });
const ref = type.extend({ namespace: z.string().exactOptional(), name: z.string() });
const body = z.looseObject({ apiVersion: z.string(), kind: z.string(), metadata: z.looseObject({}) });

const list = z.object({
  namespace: z.string().exactOptional(),
  labelSelector: z.string().exactOptional(),
  fieldSelector: z.string().exactOptional(),
  limit: z.int().positive().exactOptional(),
  continue: z.string().exactOptional(),
  resourceVersion: z.string().exactOptional(),
  resourceVersionMatch: z.enum(['Exact', 'NotOlderThan']).exactOptional(),
});

const write = z.object({
  dryRun: z.boolean().exactOptional(),
  fieldManager: z.string().exactOptional(),
  fieldValidation: z.enum(['Strict', 'Warn', 'Ignore']).exactOptional(),
  subresource: z.literal('status').exactOptional(),
});

const patch = write.extend({
  type: z.enum(['merge', 'json', 'apply']),
  force: z.boolean().exactOptional(),
  mayCreate: z.boolean().exactOptional(),
});

const remove = z.object({
  dryRun: z.boolean().exactOptional(),
  propagationPolicy: z.enum(['Background', 'Foreground', 'Orphan']).exactOptional(),
  preconditions: z
    .object({ uid: z.string().exactOptional(), resourceVersion: z.string().exactOptional() })
    .exactOptional(),
});

const poll = z.object({
  namespace: z.string().exactOptional(),
  labelSelector: z.string().exactOptional(),
  fieldSelector: z.string().exactOptional(),
  resourceVersion: z.string(),
});

const subresourceWrite = z.object({
  verb: z.enum(['create', 'patch', 'update']),
  body: z.unknown(),
  dryRun: z.boolean().exactOptional(),
  fieldManager: z.string().exactOptional(),
});

const readLog = z.object({
  query: z.object({
    tailLines: z.int().min(0).exactOptional(),
    since: z.iso.datetime({ offset: true }).exactOptional(),
    timestamps: z.boolean().exactOptional(),
  }),
  cursor: z.string().exactOptional(),
  waitMs: z.int().min(0).max(60_000),
});

/** Bodies of the resource methods. */
export const requests = {
  get: z.object({ ref }),
  list: z.object({ type, options: list }),
  poll: z.object({ type, options: poll, waitMs: z.int().min(0).max(60_000) }),
  create: z.object({ type, object: body, options: write }),
  update: z.object({ ref, object: body, options: write }),
  patch: z.object({ ref, patch: z.unknown(), options: patch }),
  remove: z.object({ ref, options: remove }),
  removeCollection: z.object({ type, list, options: remove }),
  readSubresource: z.object({
    ref,
    subresource: z.string(),
    query: z.record(z.string(), z.string()).exactOptional(),
  }),
  writeSubresource: z.object({ ref, subresource: z.string(), write: subresourceWrite }),
  readLog: z.object({ ref, subresource: z.string(), options: readLog }),
};

/** Throws BadRequest, naming the first bad field. */
export function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw badRequest(`Malformed request: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
}
