import { POLICY_STAGES } from '@crate/api';
import { badRequest } from '@crate/errors';
import { MOST_RENEWED_AT_ONCE } from '@crate/messaging';
import { z } from 'zod';
import type { DocumentSelector } from './document.repository.js';
import type { DocumentKey } from './remembered-document.js';

const requestSchema = z.strictObject({
  namespace: z.string().min(1),
  cluster: z.string().min(1).exactOptional(),
  stage: z.enum(POLICY_STAGES).exactOptional(),
  kind: z.string().min(1).exactOptional(),
  name: z.string().min(1).exactOptional(),
});

const renewSchema = z.strictObject({
  documents: z
    .array(
      z.strictObject({
        namespace: z.string().min(1),
        cluster: z.string().min(1),
        stage: z.enum(POLICY_STAGES),
        kind: z.string().min(1),
        name: z.string().min(1),
      }),
    )
    .min(1)
    .max(MOST_RENEWED_AT_ONCE),
});

/** Throws BadRequest, naming every bad field: a misspelt one would forget more than was meant. */
export function parseForgetRequest(body: unknown): DocumentSelector {
  const result = requestSchema.safeParse(body);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw badRequest(`Malformed request to forget: ${issues.join(', ')}`);
}

/** Which documents are there still. Throws BadRequest, naming every bad field. */
export function parseRenewRequest(body: unknown): readonly DocumentKey[] {
  const result = renewSchema.safeParse(body);
  if (result.success) return result.data.documents;
  const issues = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw badRequest(`Malformed request to renew: ${issues.join(', ')}`);
}
