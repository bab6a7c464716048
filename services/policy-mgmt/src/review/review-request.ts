import type { PolicyReviewRequest } from '@crate/api';
import { badRequest } from '@crate/errors';
import { z } from 'zod';

const requestSchema = z.object({
  stage: z.enum(['ClusterSpec', 'TerraformPlan', 'EngineConfig', 'Manifest']),
  document: z.record(z.string(), z.unknown()),
  subject: z.object({ namespace: z.string(), name: z.string(), provider: z.string().exactOptional() }),
});

/** Throws BadRequest, naming every bad field. */
export function parseReviewRequest(body: unknown): PolicyReviewRequest {
  const result = requestSchema.safeParse(body);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw badRequest(`Malformed review request: ${issues.join(', ')}`);
}
