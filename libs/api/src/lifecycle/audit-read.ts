import { z } from 'zod';

/** Rows that one answer holds at most. */
export const AUDIT_PAGE_ROWS = 500;

/** Fields of a record that can be selected by. */
export const AUDIT_FIELDS = [
  'user',
  'via',
  'verb',
  'group',
  'resource',
  'subresource',
  'kind',
  'project',
  'name',
  'decision',
  'code',
  'traceId',
] as const;
/** What the conditions of an `AuditReadRequest` may be about. */
export type AuditField = (typeof AUDIT_FIELDS)[number];

const condition = z.object({
  field: z.enum(AUDIT_FIELDS).describe('Of the record; one that it lacks counts as empty'),
  isEqual: z.boolean(),
  value: z.string().max(512),
});
const time = z.iso.datetime({ precision: 3 });
const link = z.object({ seq: z.int().min(0), hash: z.string().regex(/^[0-9a-f]{64}$/) });

/** Asks a service for rows of its audit log, in their order. */
export const auditReadRequest = z.object({
  after: z.int().min(0).describe('Only rows behind this one'),
  upTo: z.int().min(0).exactOptional().describe('Only rows up to this one'),
  limit: z.int().min(1).max(AUDIT_PAGE_ROWS),
  conditions: z
    .array(condition)
    .max(20)
    .exactOptional()
    .describe(
      'All of them hold for every row of the answer: with one of `project`, whoever asks may see that Project alone',
    ),
  since: time.exactOptional().describe('Only calls at or after this time'),
  until: time.exactOptional().describe('Only calls before this time'),
});
/** What `auditReadRequest` takes. */
export type AuditReadRequest = z.output<typeof auditReadRequest>;

/** Asks a service whether the chain of its audit log is whole, from a row on whose hash is known. */
export const auditVerifyRequest = z.object({ from: link.exactOptional() });
