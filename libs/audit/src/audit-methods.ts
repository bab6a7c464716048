import { auditReadRequest, auditVerifyRequest, type AuditReadRequest } from '@crate/api';
import type { FileKeyStore } from '@crate/auth';
import { badRequest } from '@crate/errors';
import type { ServiceMethod } from '@crate/messaging';
import type { z } from 'zod';
import type { AuditLog, AuditPage, ChainState } from './audit-log.js';
import type { ChainReport } from './verify-chain.js';
import { verifyChain } from './verify-chain.js';

/** Bytes of rows that one answer holds at most: a message has a limit. */
const PAGE_BYTES = 400_000;
const VERIFIED_AT_ONCE = 20_000;

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
    'audit.read': method(async (body) => answers.read(parse(auditReadRequest, body))),
    'audit.state': method(() => answers.state()),
    'audit.verify': method(async (body) => answers.verify(parse(auditVerifyRequest, body).from)),
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
