import { EXIT_CODES } from '../exit-codes.js';
import { whyUnwritable } from './file-failure.js';

let onlyPrints = false;
let failure: NodeJS.ErrnoException | undefined;

/** For commands that print on and on and change nothing: from here on they end as soon as nobody reads, or nothing can be written. */
export function endWithReader(): void {
  onlyPrints = true;
}

/**
 * For errors of the standard streams: `head` goes once it has its lines, and a disk may be full. Others finish what they do, though nobody may
 * be told. Throws what is no failure of a write.
 */
export function outputLost(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.syscall !== 'write') throw error;
  failure = error;
  process.off('exit', incomplete).once('exit', incomplete);
  if (onlyPrints) process.exit();
}

/** Behind the command, whose own failure counts for more. */
function incomplete(): void {
  const isUnread = failure?.code === 'EPIPE';
  if (!isUnread) console.error(`crate: Cannot write all of the output: ${whyUnwritable(failure)}`);
  process.exitCode ||= isUnread ? EXIT_CODES.unread : EXIT_CODES.failed;
}
