import { POLICY_STAGES, type PolicyReviewRequest } from '@crate/api';
import { badRequest } from '@crate/errors';
import { MOST_REVIEWS_AT_ONCE, type PolicyReviewAllRequest } from '@crate/messaging';
import { z } from 'zod';

const kind = z.object({ group: z.string(), version: z.string(), kind: z.string() });

const subject = z.object({
  namespace: z.string(),
  name: z.string(),
  kind: kind.exactOptional(),
  cluster: z.string().exactOptional(),
  provider: z.string().exactOptional(),
  engine: z.string().exactOptional(),
  labels: z.record(z.string(), z.string()).exactOptional(),
});

const requestSchema = z.object({
  stage: z.enum(POLICY_STAGES),
  operation: z.enum(['CREATE', 'UPDATE', 'DELETE']).exactOptional(),
  document: z.record(z.string(), z.unknown()),
  oldDocument: z.record(z.string(), z.unknown()).exactOptional(),
  subject,
  userInfo: z.object({ username: z.string(), groups: z.array(z.string()) }).exactOptional(),
  dryRun: z.boolean().exactOptional(),
  remember: z.boolean().exactOptional(),
});

const allSchema = z.object({
  requests: z.array(requestSchema).min(1).max(MOST_REVIEWS_AT_ONCE),
  partial: z.boolean().exactOptional(),
});

/** Throws BadRequest, naming every bad field. */
export function parseReviewRequest(body: unknown): PolicyReviewRequest {
  return parsed(requestSchema, body);
}

/** The same for many documents at once. */
export function parseReviewAllRequest(body: unknown): PolicyReviewAllRequest {
  return parsed(allSchema, body);
}

function parsed<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw badRequest(`Malformed review request: ${issues.join(', ')}`);
}
