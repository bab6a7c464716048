import { styled } from './style.js';
import { oneLine } from './visible.js';

/** Shows a warning of the API, beside what the command prints. */
export function warnOnTerminal(text: string): void {
  console.error(`${styled('yellow', 'Warning:', process.stderr)} ${oneLine(text)}`);
}
