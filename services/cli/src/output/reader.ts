import { EXIT_CODES } from '../exit-codes.js';

let onlyPrints = false;

/** For commands that print on and on and change nothing: from here on they end as soon as nobody reads. */
export function endWithReader(): void {
  onlyPrints = true;
}

/** For errors of the standard streams: `head` goes once it has its lines. Others finish what they do, with nobody to be told. */
export function readerGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.off('exit', unread).once('exit', unread);
  if (onlyPrints) process.exit();
}

/** Behind the command, whose own failure counts for more. */
function unread(): void {
  process.exitCode ||= EXIT_CODES.unread;
}
