import type { Consequences } from '@crate/api';
import type { Texts } from '../texts.js';

type Counts = NonNullable<Consequences['terraform']>['counts'];

/** How many resources a plan does what to, such as "2 to create". Pure. */
export function countsText(t: Texts, counts: Counts | undefined): string {
  if (!counts) return '–';
  const named = Object.entries(counts).filter(([, count]) => count > 0);
  if (named.length === 0) return t('resources.none');
  return named.map(([action, count]) => t(`resources.count.${action}`, { count })).join(', ');
}
