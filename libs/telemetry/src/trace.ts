import { randomBytes } from 'node:crypto';

/** A position in a trace, as the `traceparent` header carries it. */
export interface TraceParent {
  readonly traceId: string;
  /** The caller's span: 16 hexadecimal digits. */
  readonly parentId: string;
  readonly sampled: boolean;
}

// Version 00 has exactly these four fields; a later version may append more, which we ignore as the standard asks.
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;

/** A fresh random trace id: 32 hexadecimal digits, never all zero. */
export function newTraceId(): string {
  return randomHex(16);
}

/** A fresh random span id: 16 hexadecimal digits, never all zero. */
export function newSpanId(): string {
  return randomHex(8);
}

/**
 * Reads a W3C `traceparent` header; undefined when it is absent or malformed, so that the caller starts a new trace.
 * Source: https://www.w3.org/TR/trace-context/#traceparent-header
 */
export function parseTraceparent(header: string | undefined): TraceParent | undefined {
  const match = TRACEPARENT.exec(header?.trim() ?? '');
  if (!match) return undefined;
  const [, version = '', traceId = '', parentId = '', flags = '', rest] = match;
  if (version === '00' && rest !== undefined) return undefined;
  if (ZEROS.test(traceId) || ZEROS.test(parentId)) return undefined;
  return { traceId, parentId, sampled: (parseInt(flags, 16) & 1) === 1 };
}

/** Writes a W3C `traceparent` header for a call made within `traceId`. */
export function formatTraceparent(traceId: string, parentId: string = newSpanId(), sampled = true): string {
  return `00-${traceId}-${parentId}-${sampled ? '01' : '00'}`;
}

function randomHex(bytes: number): string {
  const hex = randomBytes(bytes).toString('hex');
  return ZEROS.test(hex) ? randomHex(bytes) : hex;
}
