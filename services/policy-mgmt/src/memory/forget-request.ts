import { POLICY_STAGES } from '@crate/api';
import { badRequest } from '@crate/errors';
import { z } from 'zod';
import type { DocumentSelector } from './document.repository.js';

const requestSchema = z.strictObject({
  namespace: z.string().min(1),
  cluster: z.string().min(1).exactOptional(),
  stage: z.enum(POLICY_STAGES).exactOptional(),
  kind: z.string().min(1).exactOptional(),
  name: z.string().min(1).exactOptional(),
});

/** Throws BadRequest, naming every bad field: a misspelt one would forget more than was meant. */
export function parseForgetRequest(body: unknown): DocumentSelector {
  const result = requestSchema.safeParse(body);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw badRequest(`Malformed request to forget: ${issues.join(', ')}`);
}
