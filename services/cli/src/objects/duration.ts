import { InvalidArgumentError } from 'commander';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30s`, `10m`, `1h30m`; a number alone is seconds. Throws InvalidArgumentError. */
export function parseDuration(text: string): number {
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  const parts = [...text.matchAll(/(\d{1,9}(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (text === '' || parts.map(([whole]) => whole).join('') !== text) {
    throw new InvalidArgumentError('Give a duration such as 30s, 10m or 1h30m.');
  }
  return parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (UNIT_MS[unit] ?? 0), 0);
}

/** `1h30m`, `45s`, as `parseDuration` takes it. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  const parts = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  return (
    parts
      .filter(([count]) => count > 0)
      .map(([count, unit]) => `${count}${unit}`)
      .join('') || '0s'
  );
}
