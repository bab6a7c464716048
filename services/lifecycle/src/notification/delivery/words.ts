import type { Telling } from '../telling.js';
import type { Notice } from './cloud-event.js';

/** What happened to what, on one line. */
export function headlineOf({ project, object, part, reason }: Telling): string {
  const within = part === undefined || part.name === object.name ? '' : ` (${part.kind} ${part.name})`;
  return `${object.kind} ${project}/${object.name}${within}: ${reason}`;
}

/** How often, and when. */
export function timesOf({ occurrences, telling }: Pick<Notice, 'occurrences' | 'telling'>): string {
  const { count, firstAt, lastAt } = telling;
  if (count === 1) return `Once, at ${lastAt}`;
  const since = occurrences > 1 ? `${occurrences} times since the message before, ` : '';
  const overall = count > occurrences ? `${count} times since ${firstAt}, ` : '';
  return `${since}${overall}last at ${lastAt}`;
}
