import { InvalidArgumentError } from 'commander';

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** An end in UTC: a time, a day, which is meant to its end, or how far away, such as `30d`. Throws InvalidArgumentError. */
export function parseWaiverEnd(text: string, now = Date.now()): string {
  const [, count, unit = ''] = /^(\d{1,4})([hdw])$/.exec(text) ?? [];
  if (count !== undefined) return inUtc(now + Number(count) * (UNIT_MS[unit] ?? 0));
  const time = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T23:59:59Z` : text);
  if (Number.isNaN(time))
    throw new InvalidArgumentError('Give a day such as 2027-03-31, a time in UTC, or how long, such as 30d.');
  return inUtc(time);
}

function inUtc(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
