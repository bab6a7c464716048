import { badRequest } from '@crate/errors';

/** How far each log was read, as places, in the order of the sources. */
export type AuditPosition = readonly bigint[];

const ROW_DIGITS = 11;
/** Of an epoch, which is a second since 1970. */
const EPOCH_DIGITS = 10;
const DIGITS = EPOCH_DIGITS + ROW_DIGITS;
/** Rows that a log never has. */
const LEAP = 10n ** BigInt(ROW_DIGITS);

/**
 * The place of a row. A log whose database was set back gives numbers of rows again: what it has in its new epoch lies beyond all places
 * from before, so that none ever means two rows.
 */
export function placeOf(seq: number, epoch = 0): bigint {
  return BigInt(epoch) * LEAP + BigInt(seq);
}

/** The row at a place. */
export function rowAt(place: bigint): number {
  return Number(place % LEAP);
}

/** What all logs have, from the oldest position whose records are all kept to where they end now. */
export interface AuditEnds {
  readonly floors: AuditPosition;
  readonly heads: AuditPosition;
}

/** False for a position whose next records were cut, and for one from before a database was set back. */
export function isWithin(position: AuditPosition, { floors, heads }: AuditEnds): boolean {
  return position.every((place, n) => place >= (floors[n] ?? 0n) && place <= (heads[n] ?? 0n));
}

/** False for a position from before a database was set back: some of what it counts may be lost. */
export function isOfEpochs(position: AuditPosition, { heads }: Pick<AuditEnds, 'heads'>): boolean {
  return position.every((place, n) => place / LEAP === (heads[n] ?? 0n) / LEAP);
}

/**
 * A position as a resourceVersion: one long decimal number, which grows whenever one of the logs does, as clients that compare
 * resource versions expect.
 */
export function formatPosition(position: AuditPosition): string {
  return `1${position.map((place) => String(place).padStart(DIGITS, '0')).join('')}`;
}

/** Undefined for one that is not of so many logs: those of another release, or of no audit log at all. */
export function parsePosition(text: string, sources: number): AuditPosition | undefined {
  if (text.length !== 1 + sources * DIGITS || !/^1\d+$/.test(text)) return undefined;
  return Array.from({ length: sources }, (_, n) => BigInt(text.slice(1 + n * DIGITS, 1 + (n + 1) * DIGITS)));
}

/** Where the next page goes on, and where the whole list ends. */
export interface AuditContinuation {
  readonly after: AuditPosition;
  readonly upTo: AuditPosition;
}

export function formatContinuation({ after, upTo }: AuditContinuation): string {
  return Buffer.from(JSON.stringify([formatPosition(after), formatPosition(upTo)])).toString('base64url');
}

/** Throws BadRequest. */
export function parseContinuation(token: string, sources: number): AuditContinuation {
  const [after, upTo] = texts(token).map((text) => parsePosition(text, sources));
  if (!after || !upTo) throw badRequest('continue is not a token of a list of audit events');
  return { after, upTo };
}

function texts(token: string): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    return Array.isArray(parsed) ? parsed.map(String) : [];
  } catch {
    return [];
  }
}
