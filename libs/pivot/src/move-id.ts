import { createHash, randomBytes } from 'node:crypto';

const DIGITS = 16;

/**
 * Id of a new move to this target, as no other move has it. Its second half tells the target: the source notes the id before the target does, and whoever is killed in
 * between has to find that very target again. A UUID of version 8 (RFC 9562), which is what people fill themselves.
 */
export function newMoveId(identity: string): string {
  const first = randomBytes(DIGITS / 2).toString('hex');
  const digits = `${first.slice(0, 12)}8${first.slice(13)}${halfOf(identity)}`;
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Whether a move with this id was begun to that target. False as well for moves begun by releases whose ids tell nothing. */
export function isMoveTo(id: string, identity: string): boolean {
  return id.replaceAll('-', '').endsWith(halfOf(identity));
}

function halfOf(identity: string): string {
  // The first digit of the half says that it is a UUID of the RFC.
  return `8${createHash('sha256').update(identity).digest('hex').slice(1, DIGITS)}`;
}
