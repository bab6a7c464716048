const SECOND = 1;
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const YEAR = 365 * DAY;

/** Which units an age below `under` seconds is shown in. */
const SCALE = [
  { under: 2 * MINUTE, large: [SECOND, 's'] },
  { under: 10 * MINUTE, large: [MINUTE, 'm'], small: [SECOND, 's'] },
  { under: 3 * HOUR, large: [MINUTE, 'm'] },
  { under: 8 * HOUR, large: [HOUR, 'h'], small: [MINUTE, 'm'] },
  { under: 2 * DAY, large: [HOUR, 'h'] },
  { under: 8 * DAY, large: [DAY, 'd'], small: [HOUR, 'h'] },
  { under: 2 * YEAR, large: [DAY, 'd'] },
  { under: 8 * YEAR, large: [YEAR, 'y'], small: [DAY, 'd'] },
  { under: Infinity, large: [YEAR, 'y'] },
] as const satisfies readonly { under: number; large: Unit; small?: Unit }[];

type Unit = readonly [seconds: number, suffix: string];

/**
 * How long ago a timestamp was, in the words of kubectl: `5s`, `3m12s`, `47h`, `2d3h`, `3y`.
 * Source: https://github.com/kubernetes/apimachinery/blob/master/pkg/util/duration/duration.go
 */
export function formatAge(timestamp: string, now: Date): string {
  const then = Date.parse(timestamp);
  if (Number.isNaN(then)) return '<invalid>';
  const seconds = Math.floor((now.getTime() - then) / 1000);
  if (seconds < -1) return '<invalid>';
  return formatSeconds(Math.max(0, seconds));
}

function formatSeconds(seconds: number): string {
  const scale: { large: Unit; small?: Unit } | undefined = SCALE.find(({ under }) => seconds < under);
  if (!scale) return '';
  const [size, unit] = scale.large;
  const whole = `${Math.floor(seconds / size)}${unit}`;
  if (!scale.small) return whole;
  const [smallSize, smallUnit] = scale.small;
  const rest = Math.floor((seconds % size) / smallSize);
  return rest === 0 ? whole : `${whole}${rest}${smallUnit}`;
}
