import type { FileKeyStore } from '@crate/auth';
import { badRequest } from '@crate/errors';
import type { ServiceMethod } from '@crate/messaging';
import { z } from 'zod';
import { AUDIT_FIELDS, type AuditLog, type AuditPage, type ChainState } from './audit-log.js';
import type { ChainReport } from './verify-chain.js';
import { verifyChain } from './verify-chain.js';

/** Rows that one answer holds at most, and bytes of them: a message has a limit. */
export const AUDIT_PAGE_ROWS = 500;
const PAGE_BYTES = 400_000;
const VERIFIED_AT_ONCE = 20_000;

const link = z.object({ seq: z.int().min(0), hash: z.string().regex(/^[0-9a-f]{64}$/) });
const queryRequest = z.object({
  after: z.int().min(0),
  upTo: z.int().min(0).exactOptional(),
  limit: z.int().min(1).max(AUDIT_PAGE_ROWS),
  conditions: z
    .array(z.object({ field: z.enum(AUDIT_FIELDS), isEqual: z.boolean(), value: z.string().max(512) }))
    .max(20)
    .exactOptional(),
  since: z.iso.datetime({ precision: 3 }).exactOptional(),
  until: z.iso.datetime({ precision: 3 }).exactOptional(),
});
const verifyRequest = z.object({ from: link.exactOptional() });

/** An `AuditQuery` as it crosses NATS: at most `AUDIT_PAGE_ROWS` rows and 20 conditions. */
export type AuditReadRequest = z.output<typeof queryRequest>;

/** What one service answers about its audit log, to this process or over NATS. */
export interface AuditAnswers {
  read(request: AuditReadRequest): Promise<AuditPage>;
  state(): Promise<ChainState>;
  verify(from: ChainReport['upTo'] | undefined): Promise<ChainReport>;
}

/** The answers of the service that holds the log. */
export function auditAnswers(log: AuditLog, keys: Pick<FileKeyStore, 'findRecordKey'>): AuditAnswers {
  return {
    read: async (request) => fitting(await log.read(request)),
    state: () => log.state(),
    verify: (from) => verifyChain({ log, keys, limit: VERIFIED_AT_ONCE, ...(from ? { from } : {}) }),
  };
}

/** The methods by which lifecycle reads the audit logs of all services. */
export function auditMethods(answers: AuditAnswers): Record<string, ServiceMethod> {
  return {
    'audit.read': method(async (body) => answers.read(parse(queryRequest, body))),
    'audit.state': method(() => answers.state()),
    'audit.verify': method(async (body) => answers.verify(parse(verifyRequest, body).from)),
  };
}

function method(handle: (body: unknown) => Promise<unknown>): ServiceMethod {
  return { scope: 'audit:read', handle };
}

/** As many rows as fit into a message; whoever reads goes on behind the last. */
function fitting(page: AuditPage): AuditPage {
  let bytes = 0;
  const end = page.rows.findIndex(({ line }, index) => {
    bytes += Buffer.byteLength(line) + 128;
    return index > 0 && bytes > PAGE_BYTES;
  });
  if (end < 0) return page;
  const rows = page.rows.slice(0, end);
  return { rows, readTo: rows.at(-1)?.seq ?? page.readTo };
}

function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value ?? {});
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw badRequest(`Malformed request: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
}
